package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.Tokens;

/**
 * Statements in which no declared table's name occurs: catalogs, constants, tables that no document
 * names. They go to the authoritative shard unread, but for what could reach declared tables
 * without naming them: bodies of functions, and commands over whole schemas or servers.
 */
final class UndeclaredPlanner {
  /** Kinds of object whose definition concerns one database's own, undeclared things. */
  private static final Set<String> DEFINED =
      Set.of(
          "table",
          "unlogged",
          "index",
          "unique",
          "view",
          "materialized",
          "recursive",
          "sequence",
          "type",
          "domain",
          "function",
          "procedure",
          "trigger",
          "constraint",
          "statistics",
          "policy",
          "rule",
          "aggregate",
          "extension",
          "or",
          "on");

  private final CommandKind kind;
  private final PlanInput input;

  UndeclaredPlanner(CommandKind kind, PlanInput input) {
    this.kind = kind;
    this.input = input;
  }

  /**
   * Defaults that put undeclared tables elsewhere than on the authoritative shard make it necessary
   * to read the statement.
   */
  boolean applies() {
    return isAuthoritative(input.database().fallback())
        && input.database().schemaDefaults().values().stream().allMatch(this::isAuthoritative)
        && !input.mentionsDeclared();
  }

  private boolean isAuthoritative(Placement placement) {
    return placement instanceof Placement.Unsharded one
        && one.shard().equals(input.authoritativeShard());
  }

  Plan plan() {
    switch (kind) {
      case QUERY, INSERT, UPDATE, DELETE, MERGE -> onAuthoritative();
      case TRUNCATE -> {
        if (input.clauses().has("cascade")) {
          throw ErrorCode.SQL_TRUNCATE.because("TRUNCATE ... CASCADE may reach declared tables");
        }
      }
      case LOCK -> {}
      case DEFINITION -> definition();
      default -> throw ErrorCode.SQL_COMMAND.because("the command is not supported");
    }
    Plan.Authoritative.Leaves leaves = HomeCalls.leaves(input);
    return new Plan.Authoritative(
        new StatementFacts(
            command(),
            mayWrite(),
            List.of(),
            List.of("no declared table is named"),
            StaleCopies.NONE,
            input.locks() || leaves != Plan.Authoritative.Leaves.NOTHING),
        input.authoritativeShard(),
        leaves);
  }

  private void definition() {
    Tokens tokens = input.tokens();
    Clauses clauses = input.clauses();
    boolean wide = tokens.isAnyWord(0, "grant", "revoke") && clauses.has("schema", "all");
    boolean grant = tokens.isAnyWord(0, "grant", "revoke") && clauses.has("on");
    boolean createsSchema = tokens.isWord(0, "create") && tokens.isWord(1, "schema");
    boolean known =
        tokens.size() > 1 && DEFINED.contains(org.pgconcord.router.sql.Names.fold(tokens.text(1)));
    if (wide || !(grant || createsSchema || known)) {
      throw ErrorCode.SQL_DEFINITION.because(
          "the command concerns more than one undeclared table or function");
    }
    if (tokens.isAnyWord(0, "drop", "alter") && tokens.isWord(1, "index")) {
      throw ErrorCode.SQL_DEFINITION.because("the index may be one of a declared table's");
    }
    if (tokens.isAnyWord(0, "drop", "alter") && clauses.has("cascade")) {
      throw ErrorCode.SQL_DEFINITION.because("CASCADE may reach declared tables");
    }
    if (IntStream.range(0, tokens.size()).anyMatch(i -> tokens.isWord(i, "select"))) {
      onAuthoritative();
    }
  }

  private void onAuthoritative() {
    new CodeRules(input).onShard(Optional.of(input.authoritativeShard()));
  }

  private Command command() {
    return switch (kind) {
      case QUERY -> Command.SELECT;
      case INSERT -> Command.INSERT;
      case UPDATE -> Command.UPDATE;
      case DELETE -> Command.DELETE;
      default -> Command.OTHER;
    };
  }

  /** A query can write through a function, a CTE or INTO. */
  private boolean mayWrite() {
    return kind != CommandKind.QUERY
        || input.callsMayWrite()
        || HomeCalls.notifies(input)
        || input.clauses().has("insert", "update", "delete", "merge", "into");
  }
}
