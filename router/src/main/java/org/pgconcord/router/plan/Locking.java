package org.pgconcord.router.plan;

import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * The locking clauses of a query: {@code FOR UPDATE | NO KEY UPDATE | SHARE | KEY SHARE [OF table,
 * ...]} (docs/decisions/0024).
 */
final class Locking {
  private final PlanInput input;
  private final Tokens tokens;

  Locking(PlanInput input) {
    this.input = input;
    this.tokens = input.tokens();
  }

  /** Whether rows of reference tables are left alone: each clause names sharded tables. */
  boolean spares(ReadFacts facts) {
    Set<String> sharded = facts.sharded().stream().map(TableUse::alias).collect(Collectors.toSet());
    for (int i = 0; i < tokens.size(); i++) {
      int behind = strengthEnd(i);
      if (behind > 0
          && (input.clauses().count("select") != 1
              || !tokens.isWord(behind, "of")
              || !names(behind + 1, sharded))) {
        return false;
      }
    }
    return true;
  }

  /** Whether some clause waits for rows that others have locked. */
  boolean waits() {
    for (int i = 0; i < tokens.size(); i++) {
      int behind = strengthEnd(i);
      if (behind > 0) {
        int way = tokens.isWord(behind, "of") ? listEnd(behind + 1) : behind;
        boolean skips = tokens.isWord(way, "skip") && tokens.isWord(way + 1, "locked");
        if (!skips && !tokens.isWord(way, "nowait")) {
          return true;
        }
      }
    }
    return false;
  }

  private int listEnd(int from) {
    int i = from + 1;
    while (tokens.isSymbol(i, ",") || tokens.isSymbol(i, ".")) {
      i += 2;
    }
    return i;
  }

  private boolean names(int from, Set<String> allowed) {
    int i = from;
    while (true) {
      if (i >= tokens.size()
          || !tokens.kind(i).isName()
          || !allowed.contains(Names.of(tokens, i))) {
        return false;
      }
      if (!tokens.isSymbol(i + 1, ",")) {
        return true;
      }
      i += 2;
    }
  }

  /** Behind the lock's strength where a clause begins at the token; else -1. */
  private int strengthEnd(int i) {
    Clauses clauses = input.clauses();
    if (!clauses.isKeyword(i, "for")) {
      return -1;
    } else if (tokens.isAnyWord(i + 1, "update", "share")) {
      return i + 2;
    } else if (tokens.isWord(i + 1, "key") && tokens.isWord(i + 2, "share")) {
      return i + 3;
    }
    return tokens.isWord(i + 1, "no") && tokens.isWord(i + 2, "key") ? i + 4 : -1;
  }

  /** Rows that are put together here could not be locked as they are. */
  ConcordException notScattered(ConcordException why) {
    return why.code() == ErrorCode.QUERY_NEEDS_MERGE || why.code() == ErrorCode.QUERY_CROSS_SHARD
        ? ErrorCode.QUERY_LOCKING
            .because("rows on several shards cannot be locked together here")
            .withDetail(why.message())
        : why;
  }
}
