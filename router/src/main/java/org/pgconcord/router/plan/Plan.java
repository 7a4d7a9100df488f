package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;

/**
 * How one statement is answered: a closed set, immutable, for any values of its constants and
 * parameters.
 */
public sealed interface Plan
    permits Plan.OneShard,
        Plan.AnyCopy,
        Plan.Scatter,
        Plan.Sorted,
        FirstLocked,
        Plan.Gather,
        Plan.GsiRead,
        Plan.Unsharded,
        Plan.Authoritative,
        Plan.Write,
        Plan.CopyWrite,
        Plan.InsertInParts,
        Plan.WriteOnAll,
        Plan.InsertUnlessTaken,
        Plan.Upsert,
        Plan.InsertGathered,
        QueryFirst,
        Plan.Merge,
        Plan.CopyFrom,
        Plan.CopyByInsert,
        Plan.Numbered,
        Plan.CopyTo,
        Plan.CopyQuery,
        Plan.GsiWrite,
        Plan.WritesInWith,
        Plan.ShardExplain,
        Plan.Refused,
        SessionCommand {

  <R> R match(Cases<R> cases);

  /** What is known of the statement; nothing of one that no shard is to see. */
  StatementFacts facts();

  /**
   * Everything that can matter is on the shard that the binding's values lead to; the client's text
   * is sent there as it is.
   *
   * @param otherwise what to run when the values do not lead to one shard: a scatter or a refusal
   */
  record OneShard(StatementFacts facts, ShardBinding binding, Plan otherwise) implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.oneShard(this);
    }
  }

  /**
   * Reference tables alone: any of these shards answers; inside a transaction prefer one that it
   * already uses.
   */
  record AnyCopy(StatementFacts facts, List<ShardId> shards) implements Plan {
    public AnyCopy {
      shards = List.copyOf(shards);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.anyCopy(this);
    }
  }

  /**
   * The client's text goes to every shard of the group on which rows can matter; the answers are
   * concatenated in any order.
   *
   * @param binding where the statement pins its tables, though not to one shard
   */
  record Scatter(StatementFacts facts, ShardGroup group, Optional<ShardBinding> binding)
      implements Plan {
    /** The shards to ask, one at least, so that there is an answer to an empty question. */
    public List<ShardId> shards(StatementText text, Parameters parameters) {
      return some(group, binding, text, parameters);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.scatter(this);
    }
  }

  private static List<ShardId> some(
      ShardGroup group, Optional<ShardBinding> binding, StatementText text, Parameters parameters) {
    List<ShardId> found = binding.flatMap(b -> b.shards(text, parameters)).orElse(group.shards());
    return found.isEmpty() ? group.shards().subList(0, 1) : found;
  }

  /**
   * Each shard sends its rows in the order that the query asks for; they are merged as they come.
   *
   * @param rows the same without an order
   * @param added brings the keys behind the client's own columns
   */
  record Sorted(Scatter rows, List<SortKey> keys, SqlEdit added) implements Plan {
    public Sorted {
      keys = List.copyOf(keys);
    }

    @Override
    public StatementFacts facts() {
      return rows.facts();
    }

    /** What each shard is sent. */
    public String sql(StatementText text) {
      return SqlEdit.apply(text, List.of(added));
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.sorted(this);
    }
  }

  /**
   * Rows of sharded tables are fetched from their shards, and one shard finishes the client's own
   * query over them.
   *
   * @param fetches one for each appearance of a sharded table
   * @param finish how the query's text changes beside that
   * @param finishers the shards that can finish it, the best first
   */
  record Gather(StatementFacts facts, List<Fetch> fetches, Finish finish, List<ShardId> finishers)
      implements Plan {
    public Gather {
      fetches = List.copyOf(fetches);
      finishers = List.copyOf(finishers);
    }

    /** The finishing query, in words where it stands on what the fetches find. */
    String finishShape(StatementText text) {
      List<SqlReplacement> replacements = new ArrayList<>(finish.shape());
      for (Fetch fetch : fetches) {
        replacements.add(fetch.shape());
        replacements.addAll(fetch.edits());
      }
      return SqlReplacement.apply(text, replacements).strip();
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.gather(this);
    }
  }

  /** The lookup table names the owner shard; the client's statement runs there, narrowed. */
  record GsiRead(StatementFacts facts, LookupRead lookup, Plan otherwise) implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.gsiRead(this);
    }
  }

  /** Unsharded tables, all on this shard; the client's text is sent there as it is. */
  record Unsharded(StatementFacts facts, ShardId shard) implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.unsharded(this);
    }
  }

  /**
   * No declared table: the authoritative shard gets the client's text as it is.
   *
   * @param leaves what stays in the session's connection there
   */
  record Authoritative(StatementFacts facts, ShardId shard, Leaves leaves) implements Plan {
    /** What a statement leaves in the session of the server that runs it. */
    public enum Leaves {
      NOTHING,
      /** Locks or channels: the client's session lasts as long as the connection from now on. */
      KEEPS,
      /** All advisory locks of the connection are gone, those of the router too. */
      LETS_GO
    }

    /** A statement after which the connection is as it was. */
    public Authoritative(StatementFacts facts, ShardId shard) {
      this(facts, shard, Leaves.NOTHING);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.authoritative(this);
    }
  }

  /**
   * INSERT, UPDATE or DELETE on a sharded table; all its rows are on the shard that the binding's
   * values lead to.
   *
   * @param kind which of the three
   * @param entries present when the table owns maintained indexes whose entries this statement
   *     changes; the text to send is then {@link EntryWork#sql}
   * @param otherwise what to run when the values do not lead to one shard
   */
  record Write(
      StatementFacts facts,
      WriteKind kind,
      TableName table,
      ShardBinding binding,
      Optional<EntryWork> entries,
      Plan otherwise)
      implements Plan {
    /** The same with another plan where the values do not lead to one shard. */
    Write or(Plan other) {
      return new Write(facts, kind, table, binding, entries, other);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.write(this);
    }
  }

  /**
   * INSERT, UPDATE or DELETE on a reference table with several copies: on the leader first, then
   * the rows that it changed on the others.
   */
  record CopyWrite(
      StatementFacts facts,
      WriteKind kind,
      CopiedTable table,
      ShardId leader,
      List<ShardId> others,
      CopyWork work)
      implements Plan {
    public CopyWrite {
      others = List.copyOf(others);
    }

    /** The error where the transaction has, or would have, a fixed snapshot. */
    public static ConcordException needsReadCommitted() {
      return ErrorCode.WRITE_REFERENCE_SNAPSHOT.because(
          "a reference table is written in REPEATABLE READ or SERIALIZABLE");
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copyWrite(this);
    }
  }

  /**
   * INSERT of rows that belong to several shards: each gets its own.
   *
   * @param entries as in {@link Write}
   * @param returns the client asked for RETURNING
   */
  record InsertInParts(
      StatementFacts facts, RowSplit rows, Optional<EntryWork> entries, boolean returns)
      implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.insertInParts(this);
    }
  }

  /**
   * A write on every shard of a group on which rows can matter, each its own rows.
   *
   * @param binding where the statement pins its target, though not to one shard
   */
  record WriteOnAll(
      StatementFacts facts,
      WriteKind kind,
      ShardGroup group,
      Optional<ShardBinding> binding,
      Optional<EntryWork> entries,
      boolean returns)
      implements Plan {
    /** The shards to ask, one at least, so that there is an answer to an empty question. */
    public List<ShardId> shards(StatementText text, Parameters parameters) {
      return some(group, binding, text, parameters);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.writeOnAll(this);
    }
  }

  /**
   * INSERT ... ON CONFLICT DO NOTHING by a global index: the row in the way may be one of another
   * shard key.
   *
   * @param rows of VALUES, one or more
   */
  record InsertUnlessTaken(
      StatementFacts facts, RowSplit rows, EntryWork entries, boolean returns, TakenKeys taken)
      implements Plan {
    /** The error where a row in the way could be newer than the transaction's snapshot. */
    public static ConcordException needsReadCommitted() {
      return ErrorCode.WRITE_ON_CONFLICT.because(
          "ON CONFLICT by a global index is not supported in REPEATABLE READ or SERIALIZABLE");
    }

    /** The statement with the columns added. */
    public String whole(StatementText text) {
      return whole(text, taken, entries);
    }

    private static String whole(StatementText text, TakenKeys taken, EntryWork entries) {
      List<SqlEdit> edits = new ArrayList<>(taken.edits());
      edits.add(entries.edit());
      return SqlEdit.apply(text, edits);
    }

    /** What each shard is sent. */
    public List<RowSplit.Part> parts(StatementText text, Parameters parameters) {
      return rows.parts(text, parameters, entries.edit().text(), taken.edits());
    }

    /** One row alone. */
    public List<RowSplit.Part> part(int row, StatementText text, Parameters parameters) {
      return rows.alone(row).parts(text, parameters, entries.edit().text(), taken.edits());
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.insertUnlessTaken(this);
    }
  }

  /**
   * INSERT ... ON CONFLICT DO UPDATE that may change entries of the rows in the way, or whose
   * arbiter is a global index, so that the row in the way may be one of another shard key.
   *
   * @param rows of VALUES, one or more
   * @param met the rows in the way, where their entries may change
   * @param taken the arbiters that no shard has
   */
  record Upsert(
      StatementFacts facts,
      RowSplit rows,
      EntryWork entries,
      boolean returns,
      Optional<ConflictRows> met,
      TakenKeys taken)
      implements Plan {

    /** The statement with the columns added. */
    public String whole(StatementText text) {
      return InsertUnlessTaken.whole(text, taken, entries);
    }

    /** What each shard is sent, without a guard. */
    public List<RowSplit.Part> parts(StatementText text, Parameters parameters) {
      return rows.parts(text, parameters, entries.edit().text(), taken.edits());
    }

    /**
     * The part with a guard.
     *
     * @param locked a condition that names the rows that are locked on its shard
     */
    public RowSplit.Part guarded(
        RowSplit.Part part, StatementText text, String locked, String token) {
      List<SqlEdit> edits = new ArrayList<>(taken.edits());
      met.ifPresent(rows -> edits.addAll(rows.guard(locked, token)));
      String sql = rows.sql(text, part.rows(), edits) + entries.edit().text();
      return new RowSplit.Part(part.shard(), sql, part.rows());
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.upsert(this);
    }
  }

  /**
   * INSERT ... SELECT whose rows are fetched first and then stored, each on its shard.
   *
   * @param columns of the target, those that rows have first
   * @param select how the query is answered by itself
   * @param describer a shard that knows the target and all that the query names
   * @param entries as in {@link Write}
   * @param returns the client asked for RETURNING
   * @param numbered the columns that get numbers where the rows have no values for them
   * @param conflicts under which the rows are planned anew, as one INSERT ... VALUES, where rows in
   *     their way decide what is stored
   */
  record InsertGathered(
      StatementFacts facts,
      StoredKey key,
      InsertText parts,
      List<String> columns,
      Plan select,
      ShardId describer,
      Optional<EntryWork> entries,
      boolean returns,
      List<NumberedColumn> numbered,
      Optional<PlanContext> conflicts)
      implements Plan {
    public InsertGathered {
      columns = List.copyOf(columns);
      numbered = List.copyOf(numbered);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.insertGathered(this);
    }
  }

  /**
   * MERGE on the one shard to which all its parts lead; the client's text is sent there as it is.
   *
   * @param plans of its parts put as other statements, in their order, and of its source
   * @param entries where the target owns maintained indexes; the text to send is then {@link
   *     MergeEntries#sql}
   */
  record Merge(
      StatementFacts facts, MergeText parts, List<Plan> plans, Optional<MergeEntries> entries)
      implements Plan {
    public Merge {
      plans = List.copyOf(plans);
    }

    /**
     * The shard.
     *
     * @throws ConcordException when the values do not lead to one
     */
    public ShardId shard(StatementText text, Parameters parameters) {
      List<String> twins = new ArrayList<>(parts.twins(text));
      twins.add(parts.sourceAlone(text));
      ShardId shard = null;
      for (int i = 0; i < plans.size(); i++) {
        StatementText twin = StatementText.one(twins.get(i));
        ShardBinding binding =
            plans.get(i) instanceof Write write
                ? write.binding()
                : ((OneShard) plans.get(i)).binding();
        Resolution where = binding.resolve(twin, parameters);
        ShardId found = where instanceof Resolution.One one ? one.shard() : null;
        if (found == null || (shard != null && !shard.equals(found))) {
          throw ErrorCode.WRITE_SEVERAL_SHARDS.because(
              "the values of the MERGE do not lead to one shard");
        }
        shard = found;
      }
      if (shard == null) {
        throw ErrorCode.INTERNAL.because("a MERGE leads nowhere");
      }
      return shard;
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.merge(this);
    }
  }

  /**
   * COPY FROM STDIN into a sharded table: each row goes to its shard.
   *
   * @param sql what each shard is sent
   */
  record CopyFrom(StatementFacts facts, ShardGroup group, CopyTarget target, String sql)
      implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copyFrom(this);
    }
  }

  /**
   * COPY FROM STDIN where the rows must be known as they were stored: they go in batches, by
   * INSERT.
   *
   * @param check a COPY of no rows, by which a shard judges columns, options and the client's
   *     rights
   */
  record CopyByInsert(
      StatementFacts facts, RowInserts inserts, CopyFormat format, String check, CopyInto into)
      implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copyByInsert(this);
    }
  }

  /**
   * COPY TO STDOUT of the rows of several shards, in any order.
   *
   * @param query what is copied, unless it is a table; its columns must be alike on all shards
   */
  record CopyTo(
      StatementFacts facts,
      List<ShardId> shards,
      String sql,
      CopyFormat format,
      Optional<String> query)
      implements Plan {
    public CopyTo {
      shards = List.copyOf(shards);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copyTo(this);
    }
  }

  /**
   * COPY TO STDOUT of a query that one shard finishes over gathered rows.
   *
   * @param select how the query is answered by itself
   * @param query its text
   * @param none the COPY of none of its rows
   * @param judge a shard that knows all that the query names
   * @param forceQuote columns that are quoted in any case; {@code *} for all
   */
  record CopyQuery(
      StatementFacts facts,
      Plan select,
      String query,
      String none,
      ShardId judge,
      CopyFormat format,
      Set<String> forceQuote)
      implements Plan {
    public CopyQuery {
      forceQuote = Set.copyOf(forceQuote);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.copyQuery(this);
    }
  }

  /**
   * UPDATE or DELETE of rows that an index names, on their shards.
   *
   * @param entries as in {@link Write}; also present, with the index alone, where the statement
   *     changes no entry and names several keys of a unique index: which of their rows it has found
   *     is told by what it returns
   * @param changes the statement changes entries
   * @param returns the client asked for RETURNING
   * @param otherwise what to run when the index cannot tell where the rows are
   */
  record GsiWrite(
      StatementFacts facts,
      WriteKind kind,
      LookupRead lookup,
      Optional<EntryWork> entries,
      boolean changes,
      boolean returns,
      Plan otherwise)
      implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.gsiWrite(this);
    }
  }

  /**
   * A statement with WITH, whole on one shard, some parts of which change entries and do not say of
   * which rows (docs/decisions/0019).
   *
   * @param kind what the main statement does to rows; empty for a query
   * @param changes those parts
   * @param entries of the main statement, as in {@link Write}, where that says its rows by itself
   * @param otherwise what to run when the values do not lead to one shard
   */
  record WritesInWith(
      StatementFacts facts,
      Optional<WriteKind> kind,
      ShardBinding binding,
      List<CteWrite> changes,
      Optional<EntryWork> entries,
      Plan otherwise)
      implements Plan {
    public WritesInWith {
      changes = List.copyOf(changes);
    }

    /** What locks or looks for the rows of the parts, in their order. */
    List<String> before(StatementText text) {
      return changes.stream().map(change -> change.before(text)).toList();
    }

    /**
     * The statement to send.
     *
     * @param rows names the rows that a part may change
     * @param token what an INSERT fails by that meets other rows
     */
    public String sql(StatementText text, Function<CteWrite, String> rows, String token) {
      List<SqlReplacement> all = new ArrayList<>();
      for (CteWrite change : changes) {
        change.old().ifPresent(old -> all.addAll(old.named(rows.apply(change))));
        change
            .met()
            .map(met -> met.guard(rows.apply(change), token))
            .ifPresent(edits -> edits.forEach(edit -> all.add(SqlReplacement.of(edit))));
      }
      entries.ifPresent(work -> all.add(SqlReplacement.of(work.edit())));
      return SqlReplacement.apply(text, all);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.writesInWith(this);
    }
  }

  /**
   * EXPLAIN without ROUTER: each shard that would take part explains what it would be sent.
   *
   * @param facts of the statement; it may write only where the EXPLAIN runs it
   * @param prefix the client's EXPLAIN with its options
   * @param explained what is explained
   * @param analyze the statement is run
   * @param format lower case, as the client wrote it; the shards judge it
   */
  record ShardExplain(
      StatementFacts facts, String prefix, Planned explained, boolean analyze, String format)
      implements Plan {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.shardExplain(this);
    }
  }

  /**
   * A statement that gets numbers from the router first and is then planned like any other
   * (docs/decisions/0015).
   *
   * @param sample what it is planned as with the numbers 1, 2, ...
   * @param context under which it is planned
   */
  record Numbered(NumberEdits edits, Plan sample, PlanContext context) implements Plan {
    /** {@code text}, a statement of this plan's shape, with the numbers 1, 2, ... */
    public Planned sample(StatementText text) {
      return new Planned(sample, edits.sample(text));
    }

    @Override
    public StatementFacts facts() {
      return sample.facts();
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.numbered(this);
    }
  }

  /** What a {@link Write} or {@link CopyWrite} does to rows. */
  enum WriteKind {
    INSERT,
    UPDATE,
    DELETE
  }

  /** Not served. */
  record Refused(ErrorCode code, String message, @Nullable String detail, @Nullable String hint)
      implements Plan {
    @Override
    public StatementFacts facts() {
      return StatementFacts.NONE;
    }

    public ConcordException toException() {
      ConcordException error = code.because(message);
      error = detail == null ? error : error.withDetail(detail);
      return hint == null ? error : error.withHint(hint);
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.refused(this);
    }
  }

  /** One answer per kind. */
  interface Cases<R> {
    R oneShard(OneShard plan);

    R anyCopy(AnyCopy plan);

    R scatter(Scatter plan);

    R sorted(Sorted plan);

    R firstLocked(FirstLocked plan);

    R gather(Gather plan);

    R gsiRead(GsiRead plan);

    R unsharded(Unsharded plan);

    R authoritative(Authoritative plan);

    R write(Write plan);

    R copyWrite(CopyWrite plan);

    R insertInParts(InsertInParts plan);

    R writeOnAll(WriteOnAll plan);

    R insertUnlessTaken(InsertUnlessTaken plan);

    R upsert(Upsert plan);

    R insertGathered(InsertGathered plan);

    R queryFirst(QueryFirst plan);

    R merge(Merge plan);

    R copyFrom(CopyFrom plan);

    R copyByInsert(CopyByInsert plan);

    R numbered(Numbered plan);

    R copyTo(CopyTo plan);

    R copyQuery(CopyQuery plan);

    R gsiWrite(GsiWrite plan);

    R writesInWith(WritesInWith plan);

    R shardExplain(ShardExplain plan);

    R session(SessionCommand plan);

    R refused(Refused plan);
  }
}
