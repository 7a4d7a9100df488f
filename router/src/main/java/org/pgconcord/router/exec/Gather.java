package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.plan.Fetch;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.plan.TransactionModes.Isolation;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * A query over rows of several shards: they are fetched, all at once, and the finishing shard runs
 * the client's own query with arrays of them in the tables' places (docs/decisions/0021).
 *
 * <h2>Why the answer is right</h2>
 *
 * The finishing shard describes the client's text first, which tells the types of its parameters
 * and of its columns, and finds what is wrong with it in the client's own words. The fetched values
 * travel in binary, or as texts that no setting changes, and get their declared types and
 * collations back, so that the query computes over the same values as on one server that held all
 * rows. Should the rewritten query mean something else all the same, its columns have other types:
 * that is refused before a row is sent.
 *
 * <p>Each shard is read at a snapshot of its own, as by a scatter: a statement by itself that
 * fetches several times has a transaction of its own with a snapshot that stays, since each fetch
 * would see a later moment otherwise. Not so in a READ COMMITTED transaction of the client's, and
 * not where an index leads a fetch: a row that an entry has just named might be too young for it.
 *
 * <p>The rows held are bounded; when they are too many, or one shard fails, the other fetches are
 * cancelled, and the client hears of it after all have ended.
 */
final class Gather {
  /** Bytes of values held for one statement. */
  static final long HELD_MOST = 64 << 20;

  private final Execution execution;
  private final Plan.Gather plan;
  private final StatementText text;
  private final Fetches fetches;
  private final @Nullable Consumer<RowStream> opening;
  private boolean ownTransaction;

  private Gather(Execution execution, Plan.Gather plan, @Nullable Consumer<RowStream> opening) {
    this.execution = execution;
    this.plan = plan;
    this.text = execution.planned().text();
    this.fetches = new Fetches(execution, plan);
    this.opening = opening;
  }

  static void run(Execution execution, Plan.Gather plan) {
    run(execution, plan, null);
  }

  /** {@code then} gets the finished query's rows, all columns as text, when they are asked for. */
  static void open(Execution execution, Plan.Gather plan, Consumer<RowStream> then) {
    run(execution, plan, then);
  }

  private static void run(
      Execution execution, Plan.Gather plan, @Nullable Consumer<RowStream> opening) {
    Gather gather = new Gather(execution, plan, opening);
    execution.then(gather.fetches.find(), found -> gather.describe());
  }

  private void describe() {
    fetches.requireFanOut();
    readOneMoment();
    ShardId finisher = finisher();
    execution.requireEqualCopies(plan.facts(), readers(finisher));
    execution.then(
        execution
            .tx()
            .backend(finisher)
            .thenCompose(
                backend ->
                    DescribedStatement.ask(backend, execution.sql(), execution.declaredTypes())
                        .thenAccept(
                            query -> fetches.run(backend, query, () -> finish(backend, query)))),
        sent -> {});
  }

  /** On each shard, however many fetches it answers. */
  private void readOneMoment() {
    Transaction tx = execution.tx();
    ownTransaction =
        opening == null
            && execution.maxRows() == 0
            && tx.scope() == Transaction.Scope.NONE
            && plan.fetches().size() > 1
            && !fetches.led();
    if (ownTransaction) {
      boolean fixed = execution.session().settings().fixedSnapshot();
      tx.begin(
          Transaction.Scope.SINGLE,
          fixed ? TransactionModes.NONE : TransactionModes.of(Isolation.REPEATABLE_READ));
    }
  }

  /** The shards whose copies of reference tables are read. */
  private Set<ShardId> readers(ShardId finisher) {
    Set<ShardId> readers = new HashSet<>(Set.of(finisher));
    plan.fetches().stream()
        .filter(Fetch::joined)
        .forEach(fetch -> readers.addAll(fetch.shards(text, execution.parameters())));
    return readers;
  }

  /** A shard that the transaction reads already, one without marked copies before all. */
  private ShardId finisher() {
    List<ShardId> equal = plan.facts().stale().without(plan.finishers());
    List<ShardId> shards = equal.isEmpty() ? plan.finishers() : equal;
    return shards.stream()
        .filter(execution.tx().shards()::contains)
        .findFirst()
        .orElse(shards.get(0));
  }

  /** Places in the router's own text mean nothing to a client. */
  static ErrorFields withoutPosition(ErrorFields fields) {
    Map<Character, String> kept = new LinkedHashMap<>(fields.fields());
    kept.remove('P');
    return new ErrorFields(kept);
  }

  // --- the end ---------------------------------------------------------------------------------

  private void finish(BackendConnection finisher, DescribedStatement query) {
    List<SqlReplacement> replacements = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    List<Boolean> binary = new ArrayList<>();
    int first = fetches.behind(query.types());
    for (GatheredRows rows : fetches.rows()) {
      replacements.add(rows.replacement(first + values.size(), values, binary));
      replacements.addAll(rows.fetch().edits());
    }
    try {
      replacements.addAll(plan.finish().replacements(fetches::typeOf));
    } catch (ConcordException e) {
      execution.fail(e);
      return;
    }
    String sql = SqlReplacement.apply(text, replacements);
    Parameters parameters = execution.wireParameters().and(values, binary);
    if (opening != null) {
      ShardPortal portal = new ShardPortal(finisher, execution.session().portals().name());
      portal.open(
          sql,
          query.types(),
          parameters.withResultFormats(),
          new Opened(portal, query.rows(), opening));
      return;
    }
    finisher.send(
        execution.last(sql, query.types(), parameters, finisher), new LastAnswer(query.rows()));
  }

  /** The finished query's portal, which is read later. */
  private final class Opened implements ShardPortal.Listener {
    private final ShardPortal portal;
    private final RowDescription promised;
    private final Consumer<RowStream> then;
    private Optional<String> differs = Optional.empty();

    Opened(ShardPortal portal, RowDescription promised, Consumer<RowStream> then) {
      this.portal = portal;
      this.promised = promised;
      this.then = then;
    }

    @Override
    public void described(Frame description) {
      differs = differing(promised, RowDescription.read(description));
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void answered(@Nullable ErrorFields fields) {
      if (fields != null) {
        execution.fail(withoutPosition(fields));
      } else if (differs.isPresent()) {
        execution.fail(meansElse(differs.get()));
      } else {
        then.accept(new Concatenation(execution.tx(), List.of(portal), promised));
      }
    }
  }

  private static ConcordException meansElse(String column) {
    return ErrorCode.QUERY_NEEDS_MERGE.because(
        "column \"%s\" of the answer means something else over gathered rows".formatted(column));
  }

  /** The first column that is not of the type that was promised. */
  private static Optional<String> differing(RowDescription promised, RowDescription found) {
    for (int i = 0; i < promised.fields().size(); i++) {
      RowDescription.Field field = promised.fields().get(i);
      if (i >= found.fields().size() || found.fields().get(i).typeOid() != field.typeOid()) {
        return Optional.of(field.name());
      }
    }
    return found.fields().size() == promised.fields().size()
        ? Optional.empty()
        : Optional.of(found.fields().get(promised.fields().size()).name());
  }

  /** The finished query's answer, under the description of the client's own. */
  private final class LastAnswer extends PassThrough {
    private final RowDescription promised;
    private Optional<String> differs = Optional.empty();
    private @Nullable String tag;

    LastAnswer(RowDescription promised) {
      super(Gather.this.execution, false);
      this.promised = promised;
    }

    @Override
    public void rowDescription(Frame frame) {
      RowDescription found = RowDescription.read(frame);
      differs = differing(promised, found);
      if (differs.isEmpty() && (execution().describes() || execution().assumed().isPresent())) {
        super.rowDescription(inFormats().toFrame());
      }
    }

    private RowDescription inFormats() {
      Parameters asked = execution().wireParameters();
      List<RowDescription.Field> fields = new ArrayList<>();
      for (RowDescription.Field field : promised.fields()) {
        fields.add(field.withFormat(asked.resultFormat(fields.size())));
      }
      return new RowDescription(fields);
    }

    @Override
    public void rows(Frame rows) {
      if (differs.isEmpty()) {
        super.rows(rows);
      }
    }

    @Override
    public void complete(Frame frame) {
      if (differs.isPresent()) {
        refuse();
      } else {
        tag = CommandTag.read(frame);
      }
    }

    @Override
    public void suspended() {
      if (differs.isPresent()) {
        refuse();
      } else {
        super.suspended();
      }
    }

    /** A transaction of its own has ended before the client hears that all is well. */
    @Override
    void answered() {
      execution()
          .then(
              ownTransaction ? execution().tx().commit() : CompletableFuture.completedFuture(null),
              done -> {
                Optional.ofNullable(tag).ifPresent(sink()::complete);
                super.answered();
              });
    }

    private void refuse() {
      failed(ErrorFields.of(meansElse(differs.orElse(""))));
    }

    @Override
    public void error(Frame frame) {
      failed(withoutPosition(ErrorFields.read(frame)));
    }
  }
}
