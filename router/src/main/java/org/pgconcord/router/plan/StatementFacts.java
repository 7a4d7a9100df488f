package org.pgconcord.router.plan;

import java.util.List;
import org.pgconcord.config.value.TableName;

/**
 * What every plan that reaches a shard knows of its statement.
 *
 * @param command its kind
 * @param mayWrite true unless it is known to change nothing: a SELECT that calls a function not
 *     known to be read-only may write
 * @param tables the declared tables it names, without those that only a CTE's name hides
 * @param why why no better route was taken, in words, for EXPLAIN (ROUTER)
 * @param stale the marked copies among those it could read
 * @param locks it locks the rows that it reads: what they are locked for must be committed before
 *     the locks go
 */
public record StatementFacts(
    Command command,
    boolean mayWrite,
    List<TableName> tables,
    List<String> why,
    StaleCopies stale,
    boolean locks) {
  /** Of what no shard is to see. */
  static final StatementFacts NONE = new StatementFacts(Command.OTHER, false, List.of(), List.of());

  public StatementFacts {
    tables = List.copyOf(tables);
    why = List.copyOf(why);
  }

  /** Of a statement that locks nothing, or writes. */
  public StatementFacts(
      Command command,
      boolean mayWrite,
      List<TableName> tables,
      List<String> why,
      StaleCopies stale) {
    this(command, mayWrite, tables, why, stale, false);
  }

  /** Of a statement that reads no marked copy. */
  public StatementFacts(
      Command command, boolean mayWrite, List<TableName> tables, List<String> why) {
    this(command, mayWrite, tables, why, StaleCopies.NONE, false);
  }

  /** The kind of a statement that runs on shards. */
  public enum Command {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    /** Sent by the simple protocol always, and read as a stream. */
    COPY,
    /** Anything else that is passed on whole: DDL on undeclared tables, plain EXPLAIN, ... */
    OTHER
  }
}
