package org.pgconcord.router.plan;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.sql.Tokens;

/**
 * When a write that reads other tables besides its target can go to every shard of a group, each
 * doing its part: every row that it makes or changes comes from rows of one shard, the target's own
 * among them, and nothing in it looks at rows of two shards at a time.
 */
final class EachShard {
  private static final Set<String> BEYOND_ONE_ROW =
      Set.of(
          "limit",
          "offset",
          "fetch",
          "union",
          "intersect",
          "except",
          "window",
          "over",
          "with",
          "tablesample",
          "grouping",
          "rollup",
          "cube");

  private final PlanInput input;
  private final ReadFacts facts;

  EachShard(PlanInput input, ReadFacts facts) {
    this.input = input;
    this.facts = facts;
  }

  /** UPDATE ... FROM and DELETE ... USING: the target is one of the tables that are joined. */
  void checkJoin() {
    joined();
    new ScatterRules(input, facts).checkWrite();
  }

  /**
   * INSERT ... SELECT whose rows go where they come from. Each row has the whole shard key of one
   * stored row in its list, as plain columns. So every group of a GROUP BY is of one key
   * (PostgreSQL takes a plain column only when its groups have one value of it), and rows that
   * DISTINCT makes one are of one shard.
   */
  void checkSelect() {
    joined();
    for (String word : BEYOND_ONE_ROW) {
      if (input.clauses().has(word)) {
        throw merge(word.toUpperCase(Locale.ROOT));
      }
    }
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.isWord(i, "distinct") && tokens.isWord(i + 1, "on")) {
        throw merge("DISTINCT ON");
      }
    }
    if (input.locks()) {
      throw ErrorCode.QUERY_LOCKING.because("rows on several shards cannot be locked together");
    }
    new ScatterRules(input, facts).checkSelected();
  }

  private void joined() {
    if (!facts.local().isEmpty()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "sharded tables are read together with tables of one shard");
    }
    if (!facts.colocated()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "the rows of %s are not each joined with rows of their own shard"
              .formatted(
                  facts.sharded().stream()
                      .map(u -> u.table().name())
                      .distinct()
                      .sorted()
                      .map(TableName::toString)
                      .collect(Collectors.joining(", "))));
    }
  }

  private static ConcordException merge(String what) {
    return ErrorCode.QUERY_NEEDS_MERGE.because(what + " over several shards needs a merge");
  }
}
