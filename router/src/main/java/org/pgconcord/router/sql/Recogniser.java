package org.pgconcord.router.sql;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Tells statements apart by their first keywords; their grammar is nobody's business here. */
public final class Recogniser {
  private static final Map<String, CommandKind> FIRST =
      Map.ofEntries(
          Map.entry("select", CommandKind.QUERY),
          Map.entry("values", CommandKind.QUERY),
          Map.entry("table", CommandKind.QUERY),
          Map.entry("insert", CommandKind.INSERT),
          Map.entry("update", CommandKind.UPDATE),
          Map.entry("delete", CommandKind.DELETE),
          Map.entry("merge", CommandKind.MERGE),
          Map.entry("explain", CommandKind.EXPLAIN),
          Map.entry("begin", CommandKind.BEGIN),
          Map.entry("start", CommandKind.BEGIN),
          Map.entry("commit", CommandKind.COMMIT),
          Map.entry("end", CommandKind.COMMIT),
          Map.entry("rollback", CommandKind.ROLLBACK),
          Map.entry("abort", CommandKind.ROLLBACK),
          Map.entry("savepoint", CommandKind.SAVEPOINT),
          Map.entry("release", CommandKind.SAVEPOINT),
          Map.entry("set", CommandKind.SET),
          Map.entry("reset", CommandKind.RESET),
          Map.entry("show", CommandKind.SHOW),
          Map.entry("discard", CommandKind.DISCARD),
          Map.entry("copy", CommandKind.COPY),
          Map.entry("prepare", CommandKind.PREPARED),
          Map.entry("execute", CommandKind.PREPARED),
          Map.entry("deallocate", CommandKind.PREPARED),
          Map.entry("declare", CommandKind.CURSOR),
          Map.entry("fetch", CommandKind.CURSOR),
          Map.entry("move", CommandKind.CURSOR),
          Map.entry("close", CommandKind.CURSOR),
          Map.entry("listen", CommandKind.LISTEN),
          Map.entry("unlisten", CommandKind.LISTEN),
          Map.entry("notify", CommandKind.LISTEN),
          Map.entry("lock", CommandKind.LOCK),
          Map.entry("do", CommandKind.PROCEDURE),
          Map.entry("call", CommandKind.PROCEDURE),
          Map.entry("truncate", CommandKind.TRUNCATE),
          Map.entry("vacuum", CommandKind.MAINTENANCE),
          Map.entry("analyze", CommandKind.MAINTENANCE),
          Map.entry("analyse", CommandKind.MAINTENANCE),
          Map.entry("cluster", CommandKind.MAINTENANCE),
          Map.entry("reindex", CommandKind.MAINTENANCE),
          Map.entry("checkpoint", CommandKind.MAINTENANCE),
          Map.entry("refresh", CommandKind.MAINTENANCE),
          Map.entry("create", CommandKind.DEFINITION),
          Map.entry("alter", CommandKind.DEFINITION),
          Map.entry("drop", CommandKind.DEFINITION),
          Map.entry("comment", CommandKind.DEFINITION),
          Map.entry("grant", CommandKind.DEFINITION),
          Map.entry("revoke", CommandKind.DEFINITION));

  /** First words of commands that are of no kind of their own. */
  private static final Set<String> UNPLANNED =
      Set.of("with", "import", "load", "reassign", "repack", "security", "wait");

  private Recogniser() {}

  /** False when no statement of PostgreSQL's begins so. */
  public static boolean startsStatement(Tokens tokens) {
    if (tokens.isSymbol(0, "(")) {
      return true;
    }
    String first = tokens.kind(0) == TokenKind.WORD ? tokens.text(0).toLowerCase(Locale.ROOT) : "";
    return FIRST.containsKey(first) || UNPLANNED.contains(first);
  }

  /** The kind of a statement with at least one token. */
  public static CommandKind kind(Tokens tokens) {
    int first = 0;
    while (tokens.isSymbol(first, "(")) {
      first++;
    }
    if (tokens.isWord(first, "with")) {
      return mainVerb(tokens, first + 1);
    }
    if (first > 0) {
      return CommandKind.QUERY;
    }
    CommandKind kind =
        tokens.kind(0) == TokenKind.WORD
            ? FIRST.getOrDefault(tokens.text(0).toLowerCase(Locale.ROOT), CommandKind.OTHER)
            : CommandKind.OTHER;
    return refined(kind, tokens);
  }

  /** Forms that a second word sets apart. */
  private static CommandKind refined(CommandKind kind, Tokens tokens) {
    boolean prepared = tokens.isWord(1, "prepared") || tokens.isWord(2, "prepared");
    return switch (kind) {
      case COMMIT -> prepared ? CommandKind.TWO_PHASE : kind;
      case ROLLBACK -> {
        boolean savepoint = tokens.isWord(1, "to") || tokens.isWord(2, "to");
        yield prepared ? CommandKind.TWO_PHASE : savepoint ? CommandKind.SAVEPOINT : kind;
      }
      case PREPARED ->
          tokens.isWord(0, "prepare") && tokens.isWord(1, "transaction")
              ? CommandKind.TWO_PHASE
              : kind;
      default -> kind;
    };
  }

  /** The statement behind WITH: the first verb in no parentheses. */
  private static CommandKind mainVerb(Tokens tokens, int from) {
    int depth = 0;
    for (int i = from; i < tokens.size(); i++) {
      if (tokens.isSymbol(i, "(")) {
        depth++;
      } else if (tokens.isSymbol(i, ")")) {
        depth--;
      } else if (depth == 0
          && tokens.isSymbol(i - 1, ")")
          && tokens.isAnyWord(
              i, "select", "values", "table", "insert", "update", "delete", "merge")) {
        return FIRST.getOrDefault(tokens.text(i).toLowerCase(Locale.ROOT), CommandKind.OTHER);
      }
    }
    return CommandKind.QUERY;
  }
}
