package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.MappingRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * The parts of an INSERT that is tried behind savepoints: nothing of an attempt reaches the client
 * before {@link #keep}, so that one can be undone and made again.
 */
final class InsertedParts {
  private static final String SAVEPOINT = "pgconcord row";

  private final Execution execution;
  private final EntryWork work;
  private final boolean returns;
  private final AddedColumns added;
  private final List<LookupIndex> indexes;
  private final Map<Referrer, LookupIndex> references = new LinkedHashMap<>();
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private final List<Frame> kept = new ArrayList<>();
  private @Nullable RowDescription description;
  private @Nullable Parameters parameters;
  private ParameterTypes types;
  private long rows;

  /**
   * @param whole the statement with the columns of {@code work}
   * @param returns the client asked for RETURNING
   */
  InsertedParts(Execution execution, EntryWork work, boolean returns, String whole) {
    this.execution = execution;
    this.work = work;
    this.returns = returns;
    this.types = execution.declaredTypes();
    this.added = new AddedColumns(execution, whole, returns, work.columns().size());
    RouterServices services = execution.session().services();
    this.indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    work.references()
        .forEach(r -> references.put(r, services.indexes().of(services.epochs().current(), r)));
  }

  /** A transaction of its own where there is none. */
  void begin() {
    if (execution.tx().scope() == Transaction.Scope.NONE) {
      execution.tx().begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
  }

  List<LookupIndex> indexes() {
    return indexes;
  }

  /** The backends that were used so far. */
  Map<ShardId, BackendConnection> mains() {
    return mains;
  }

  BackendConnection main(RowSplit.Part part) {
    BackendConnection main = mains.get(part.shard());
    if (main == null) {
      throw ErrorCode.INTERNAL.because("a part of a write has no backend");
    }
    return main;
  }

  // --- one attempt -----------------------------------------------------------------------------

  /** Sets the savepoint behind which the parts then run. */
  CompletableFuture<Void> open(List<RowSplit.Part> parts) {
    Transaction tx = execution.tx();
    tx.savepoint(SAVEPOINT);
    CompletableFuture<Void> all = done();
    for (RowSplit.Part part : parts) {
      tx.write(part.shard());
      all =
          all.thenCompose(before -> tx.backend(part.shard()))
              .thenAccept(backend -> mains.put(part.shard(), backend));
    }
    return all.thenCompose(acquired -> prepare()).thenRun(() -> {});
  }

  /** What it has done stays. */
  CompletableFuture<Void> close() {
    return execution.tx().release(SAVEPOINT).thenRun(() -> {});
  }

  /** Nothing that was done since {@link #open} stays. */
  CompletableFuture<Void> undo() {
    Transaction tx = execution.tx();
    return tx.rollbackTo(SAVEPOINT).thenCompose(undone -> tx.release(SAVEPOINT)).thenRun(() -> {});
  }

  /** The call's values with formats for the added columns; types that a part may not tell. */
  private CompletableFuture<Parameters> prepare() {
    if (parameters != null) {
      return CompletableFuture.completedFuture(parameters);
    }
    BackendConnection any = mains.values().iterator().next();
    CompletableFuture<ParameterTypes> known =
        types.complete(execution.wireParameters().count())
            ? CompletableFuture.completedFuture(types)
            : DescribedStatement.ask(any, added.sql(), types).thenApply(DescribedStatement::types);
    return known
        .thenCompose(
            all -> {
              types = all;
              return added.formats(any);
            })
        .thenApply(
            values -> {
              parameters = values;
              return values;
            });
  }

  /** A query of our own over the call's values. */
  BackendRequest query(String sql) {
    return execution.simple()
        ? new BackendRequest.Query(sql)
        : new BackendRequest.Extended(
            sql, false, types, execution.wireParameters().withResultFormats(), "", false, 0);
  }

  /**
   * Each part's answer, when all shards have answered; empty when some have failed in no other way
   * than {@code foreseen} knows. Any other failure makes the rest stop.
   */
  CompletableFuture<Optional<List<PartAnswer>>> answers(
      List<RowSplit.Part> parts, Predicate<Throwable> foreseen) {
    List<CompletableFuture<PartAnswer>> sent = send(parts);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<CompletableFuture<Optional<PartAnswer>>> ended = new ArrayList<>();
    for (CompletableFuture<PartAnswer> each : sent) {
      ended.add(
          each.handle(
              (answer, thrown) -> {
                if (thrown == null) {
                  return Optional.of(answer);
                }
                Throwable cause = Failures.cause(thrown);
                if (!foreseen.test(cause) && failure.compareAndSet(null, cause)) {
                  parts.forEach(part -> main(part).cancel());
                }
                return Optional.empty();
              }));
    }
    return CompletableFuture.allOf(ended.toArray(CompletableFuture<?>[]::new))
        .thenCompose(all -> together(ended, failure.get()));
  }

  private static CompletableFuture<Optional<List<PartAnswer>>> together(
      List<CompletableFuture<Optional<PartAnswer>>> ended, @Nullable Throwable failure) {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    List<PartAnswer> answers = ended.stream().flatMap(answer -> answer.join().stream()).toList();
    return CompletableFuture.completedFuture(
        answers.size() == ended.size() ? Optional.of(answers) : Optional.empty());
  }

  private List<CompletableFuture<PartAnswer>> send(List<RowSplit.Part> parts) {
    Parameters values = parameters;
    if (values == null) {
      throw ErrorCode.INTERNAL.because("a write in parts has not been opened");
    }
    List<CompletableFuture<PartAnswer>> sent = new ArrayList<>();
    for (RowSplit.Part part : parts) {
      BackendRequest request =
          execution.simple()
              ? new BackendRequest.Query(part.sql())
              : new BackendRequest.Extended(part.sql(), false, types, values, "", true, 0);
      sent.add(PartAnswer.of(main(part), request, work.columns().size(), execution, part.sql()));
    }
    return sent;
  }

  /** Checks and holds the mappings to which new rows refer. */
  CompletableFuture<Void> check(List<PartAnswer> answers) {
    if (references.isEmpty()) {
      return done();
    }
    MappingRows mappings = new MappingRows(references, work.columns());
    answers.forEach(
        answer -> answer.added().stream().filter(work::changesEntries).forEach(mappings::add));
    return execution.tx().entries().check(mappings.found());
  }

  // --- what the client gets --------------------------------------------------------------------

  /** Rows in the order of VALUES, unless the shards have left some out. */
  void keep(List<RowSplit.Part> parts, List<PartAnswer> answers) {
    for (PartAnswer answer : answers) {
      description = description == null ? answer.description() : description;
      rows += answer.count();
      answer.notices().forEach(execution.sink()::notice);
    }
    if (!returns) {
      return;
    }
    boolean whole = true;
    Map<Integer, Frame> byRow = new TreeMap<>();
    for (int i = 0; i < parts.size(); i++) {
      List<Integer> places = parts.get(i).rows();
      List<Frame> frames = new ArrayList<>(answers.get(i).rows());
      whole &= places.size() == frames.size();
      for (int k = 0; whole && k < places.size(); k++) {
        byRow.put(places.get(k), frames.get(k));
      }
    }
    if (whole) {
      kept.addAll(byRow.values());
    } else {
      answers.forEach(answer -> kept.addAll(answer.rows()));
    }
  }

  /** Columns of a statement of which nothing is kept. */
  void describedBy(List<PartAnswer> answers) {
    description = description == null ? answers.get(0).description() : description;
  }

  CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE ? execution.tx().commit() : done();
  }

  void complete() {
    if (description != null) {
      added.describe(description, description.fields().size() - work.columns().size());
    }
    kept.forEach(execution.sink()::rows);
    execution.sink().complete("INSERT 0 " + rows);
    execution.done();
  }

  static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
