package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;

/** A statement about the session or its transaction, which the router itself carries out. */
public sealed interface SessionCommand extends Plan {
  @Override
  default <R> R match(Plan.Cases<R> cases) {
    return cases.session(this);
  }

  @Override
  default StatementFacts facts() {
    return StatementFacts.NONE;
  }

  <R> R match(Cases<R> cases);

  /** BEGIN, START TRANSACTION. */
  record Begin(TransactionModes modes) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.begin(this);
    }
  }

  /** COMMIT, END. */
  record Commit() implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.commit(this);
    }
  }

  /** ROLLBACK, ABORT. */
  record Rollback() implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.rollback(this);
    }
  }

  /** SAVEPOINT; the name is folded. */
  record Savepoint(String name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.savepoint(this);
    }
  }

  /** ROLLBACK TO SAVEPOINT. */
  record RollbackTo(String name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.rollbackTo(this);
    }
  }

  /** RELEASE SAVEPOINT. */
  record Release(String name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.release(this);
    }
  }

  /** SET TRANSACTION, or with {@code session} SET SESSION CHARACTERISTICS AS TRANSACTION. */
  record SetTransaction(TransactionModes modes, boolean session) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.setTransaction(this);
    }
  }

  /**
   * SET in any of its forms but SET TRANSACTION; the statement's own text is what shards get.
   *
   * @param name lower case: {@code timezone} for SET TIME ZONE, {@code client_encoding} for SET
   *     NAMES, {@code search_path} for SET SCHEMA, {@code role} for SET ROLE
   * @param values as written, names folded, quotes taken off; empty for SET ... TO DEFAULT
   */
  record SetParameter(String name, List<String> values, boolean local) implements SessionCommand {
    public SetParameter {
      values = List.copyOf(values);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.set(this);
    }
  }

  /** RESET; {@code name} is {@code all} for RESET ALL. */
  record Reset(String name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.reset(this);
    }
  }

  /** SHOW; {@code name} is lower case, {@code all} for SHOW ALL. */
  record Show(String name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.show(this);
    }
  }

  /** DISCARD ALL. */
  record DiscardAll() implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.discardAll(this);
    }
  }

  /** DEALLOCATE of a statement that was prepared by the protocol; empty for all. */
  record Deallocate(Optional<String> name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.deallocate(this);
    }
  }

  /** UNLISTEN; the server hears of it only when it may have heard LISTEN. */
  record Unlisten() implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.unlisten(this);
    }
  }

  /**
   * A SELECT of nothing but calls of {@code set_config} and {@code current_setting}: SET in the
   * words that drivers and middleware use.
   */
  record SetConfig(List<Setting> settings) implements SessionCommand {
    /**
     * One call of {@code set_config}.
     *
     * @param local only until the transaction ends
     */
    public record Setting(Argument name, Argument value, Argument local) {}

    /**
     * A constant or a parameter.
     *
     * @param text what the constant says; empty for NULL and for a parameter
     * @param parameter its number, or 0
     */
    public record Argument(Optional<String> text, int parameter) {}

    public SetConfig {
      settings = List.copyOf(settings);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.setConfig(this);
    }
  }

  /**
   * EXPLAIN (ROUTER): answered here with {@link PlanText}'s outline, after the statement has run
   * where ANALYZE asks for it.
   */
  record ExplainRouter(Planned explained, boolean analyze, boolean verbose, PlanFormat format)
      implements SessionCommand {
    @Override
    public StatementFacts facts() {
      return analyze ? explained.plan().facts() : StatementFacts.NONE;
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.explainRouter(this);
    }
  }

  /**
   * DECLARE.
   *
   * @param name folded
   * @param hold WITH HOLD
   */
  record DeclareCursor(String name, Planned query, Scroll scroll, boolean binary, boolean hold)
      implements SessionCommand {
    /** What is said of going back. */
    public enum Scroll {
      SCROLL,
      NO_SCROLL,
      NOTHING
    }

    @Override
    public StatementFacts facts() {
      return query.plan().facts();
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.declareCursor(this);
    }
  }

  /**
   * FETCH, MOVE.
   *
   * @param count of rows, or the number of the row; below 0 the other way round
   */
  record FetchCursor(String name, Direction direction, long count, boolean move)
      implements SessionCommand {
    /** All rows that are left. */
    public static final long ALL = Long.MAX_VALUE;

    /** PostgreSQL's; the other words are made of these. */
    public enum Direction {
      FORWARD,
      BACKWARD,
      ABSOLUTE,
      RELATIVE
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.fetchCursor(this);
    }
  }

  /** CLOSE; empty for all. */
  record CloseCursor(Optional<String> name) implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.closeCursor(this);
    }
  }

  /** A text without a statement: EmptyQueryResponse. */
  record Empty() implements SessionCommand {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.empty(this);
    }
  }

  /** One answer per command. */
  interface Cases<R> {
    R begin(Begin command);

    R commit(Commit command);

    R rollback(Rollback command);

    R savepoint(Savepoint command);

    R rollbackTo(RollbackTo command);

    R release(Release command);

    R setTransaction(SetTransaction command);

    R set(SetParameter command);

    R reset(Reset command);

    R show(Show command);

    R discardAll(DiscardAll command);

    R deallocate(Deallocate command);

    R unlisten(Unlisten command);

    R setConfig(SetConfig command);

    R explainRouter(ExplainRouter command);

    R declareCursor(DeclareCursor command);

    R fetchCursor(FetchCursor command);

    R closeCursor(CloseCursor command);

    R empty(Empty command);
  }
}
