package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.exec.OrderedLook.Candidate;
import org.pgconcord.router.plan.FirstLocked;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * A locking query with LIMIT over several shards (docs/decisions/0031).
 *
 * <p><b>Invariant.</b> No more rows are locked than are given, but for those that OFFSET leaves
 * out, as on one server: a lock is asked for only of as many rows as are still missing, and only
 * when all rows before them in the order have been locked or have turned out not to be had. So what
 * this statement holds never hides a row from another session's SKIP LOCKED that one server would
 * have left to it.
 *
 * <p>Without an order any rows will do: each shard in turn gives what is missing. With one, the
 * first rows are looked at on all shards at once without locks, by their primary keys and the
 * order's; then the first ones are locked on their shards by these keys beside the query's own
 * condition, which is tested on the row as it is when it is locked. A row that was changed so that
 * it does not meet the condition any more, was deleted, or is skipped, is not in the answer, and
 * the next one in the order takes its place.
 *
 * <p>Where a locked row is waited for, rows are locked one after the other in the order, a run of
 * rows of one shard at a time: sessions that lock in the same order do not deadlock. Where none is
 * waited for, all shards lock at once.
 */
final class FirstLockedRows {
  /** Looked at beyond what is wanted, for rows that others have locked. */
  private static final int BEYOND = 32;

  private static final int FURTHER = 8;

  /** Rows that are named in one text. */
  private static final int NAMED_MOST = 500;

  private final Execution execution;
  private final FirstLocked plan;
  private final StatementText text;
  private final List<ShardId> shards;
  private final boolean ownTransaction;
  private final long limit;
  private final long offset;
  private final List<Frame> taken = new ArrayList<>();
  private long held;
  private long looked;
  private int columns;
  private ParameterTypes types = ParameterTypes.NONE;
  private RowDescription description = new RowDescription(List.of());
  private @Nullable ShardId describedBy;

  private FirstLockedRows(
      Execution execution, FirstLocked plan, List<ShardId> shards, boolean ownTransaction) {
    this.execution = execution;
    this.plan = plan;
    this.text = execution.planned().text();
    this.shards = shards;
    this.ownTransaction = ownTransaction;
    this.limit = plan.bound().limit(text, execution.parameters());
    this.offset = plan.bound().offset(text, execution.parameters());
  }

  static void run(Execution execution, FirstLocked plan, List<ShardId> shards) {
    if (shards.size() == 1) {
      OnOneShard.run(execution, plan.facts(), shards.get(0));
      return;
    }
    boolean own = execution.tx().scope() == Transaction.Scope.NONE;
    FirstLockedRows rows = new FirstLockedRows(execution, plan, shards, own);
    if (rows.limit < 0 || rows.offset < 0) {
      String which = rows.limit < 0 ? "LIMIT" : "OFFSET";
      execution.failPlain(rows.limit < 0 ? "2201W" : "2201X", which + " must not be negative");
      return;
    }
    if (own) {
      execution.tx().begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    rows.describe();
  }

  private void describe() {
    execution.then(
        execution
            .tx()
            .backend(shards.get(0))
            .thenCompose(
                backend ->
                    DescribedStatement.ask(backend, execution.sql(), execution.declaredTypes())),
        described -> {
          types = described.types();
          columns = described.columns();
          description = inFormats(described.rows());
          describedBy = shards.get(0);
          if (plan.ordered().isPresent()) {
            inOrder(plan.ordered().get());
          } else {
            nextShard(0);
          }
        });
  }

  private RowDescription inFormats(RowDescription texts) {
    List<RowDescription.Field> fields = new ArrayList<>();
    for (int i = 0; i < texts.fields().size(); i++) {
      fields.add(texts.fields().get(i).withFormat(execution.wireParameters().resultFormat(i)));
    }
    return new RowDescription(fields);
  }

  private long missing() {
    return limit == 0 ? 0 : limit + offset - taken.size();
  }

  private void hold(long bytes) {
    held += bytes;
    if (held > Gather.HELD_MOST) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "more than %d MiB of rows would have to be held to lock the first of them"
              .formatted(Gather.HELD_MOST >> 20));
    }
  }

  // --- any rows --------------------------------------------------------------------------------

  private void nextShard(int index) {
    if (index == shards.size() || missing() == 0) {
      end();
      return;
    }
    execution.then(
        execution
            .reader(shards.get(index))
            .thenCompose(
                backend ->
                    PartedRows.ask(
                        backend,
                        plan.some(text, missing()),
                        types,
                        execution.wireParameters(),
                        columns,
                        execution.sink(),
                        this::hold)),
        answer -> {
          requireAlike(answer);
          answer.rows().forEach(row -> taken.add(row.first()));
          nextShard(index + 1);
        });
  }

  private void requireAlike(PartedRows answer) {
    RowDescription own = answer.description().keepFirst(columns);
    if (!OverShards.alike(description, own)) {
      throw OverShards.differ(describedBy, description, answer.shard(), own);
    }
  }

  // --- an order --------------------------------------------------------------------------------

  private void inOrder(FirstLocked.ByKeys by) {
    looked = Math.min(missing() + BEYOND, Long.MAX_VALUE / FURTHER);
    look(by, new OrderedLook(by.identity().size(), by.order()));
  }

  private void look(FirstLocked.ByKeys by, OrderedLook look) {
    if (missing() == 0) {
      end();
      return;
    }
    look.again();
    held = taken.stream().mapToLong(Frame::length).sum();
    long most = looked;
    looked = Math.min(most * FURTHER, Long.MAX_VALUE / FURTHER);
    List<CompletableFuture<PartedRows>> answers = new ArrayList<>();
    CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
    for (ShardId shard : shards) {
      ready =
          ready
              .thenCompose(before -> execution.tx().backend(shard))
              .thenAccept(
                  backend ->
                      answers.add(
                          PartedRows.ask(
                              backend,
                              by.look(text, most),
                              types,
                              lookFormats(by),
                              by.identity().size(),
                              execution.sink(),
                              this::hold)));
    }
    execution.then(
        ready.handle((done, failure) -> failure).thenCompose(failure -> all(answers, failure)),
        done -> {
          answers.forEach(answer -> look.seen(answer.join(), most));
          lockNext(by, look);
        });
  }

  private Parameters lookFormats(FirstLocked.ByKeys by) {
    short[] formats = new short[by.identity().size() + by.order().size()];
    for (int i = by.identity().size(); i < formats.length; i++) {
      formats[i] = 1;
    }
    return execution.wireParameters().withResultFormats(formats);
  }

  /** When all have answered, however: nothing of this statement runs on behind its end. */
  private static CompletableFuture<Void> all(
      List<CompletableFuture<PartedRows>> answers, @Nullable Throwable failure) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
    return failure == null
        ? all
        : all.handle((done, other) -> null)
            .thenCompose(x -> CompletableFuture.failedFuture(failure));
  }

  private void lockNext(FirstLocked.ByKeys by, OrderedLook look) {
    List<Candidate> batch = look.next(Math.min(missing(), NAMED_MOST));
    if (missing() > 0 && !batch.isEmpty()) {
      List<List<Candidate>> runs = plan.waits() ? runs(batch) : perShard(batch);
      lock(by, look, batch, runs, new HashMap<>());
    } else if (missing() > 0 && look.isCutShort()) {
      look(by, look);
    } else {
      end();
    }
  }

  /** Neighbours in the order that are on one shard. */
  private static List<List<Candidate>> runs(List<Candidate> batch) {
    List<List<Candidate>> runs = new ArrayList<>();
    for (Candidate candidate : batch) {
      List<Candidate> last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last == null || !last.get(0).shard().equals(candidate.shard())) {
        last = new ArrayList<>();
        runs.add(last);
      }
      last.add(candidate);
    }
    return runs;
  }

  private static List<List<Candidate>> perShard(List<Candidate> batch) {
    Map<ShardId, List<Candidate>> runs = new java.util.LinkedHashMap<>();
    batch.forEach(c -> runs.computeIfAbsent(c.shard(), s -> new ArrayList<>()).add(c));
    return List.copyOf(runs.values());
  }

  /** Rows that have been locked are in {@code locked}, until all runs are through. */
  private void lock(
      FirstLocked.ByKeys by,
      OrderedLook look,
      List<Candidate> batch,
      List<List<Candidate>> runs,
      Map<Candidate, Frame> locked) {
    if (runs.isEmpty()) {
      batch.stream().flatMap(c -> Optional.ofNullable(locked.get(c)).stream()).forEach(taken::add);
      lockNext(by, look);
      return;
    }
    int atOnce = plan.waits() ? 1 : runs.size();
    List<CompletableFuture<PartedRows>> answers = new ArrayList<>();
    CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
    for (List<Candidate> run : runs.subList(0, atOnce)) {
      ready =
          ready
              .thenCompose(before -> execution.reader(run.get(0).shard()))
              .thenAccept(
                  backend ->
                      answers.add(
                          PartedRows.ask(
                              backend,
                              by.lock(text, run.stream().map(Candidate::identity).toList()),
                              types,
                              lockFormats(by),
                              columns,
                              execution.sink(),
                              this::hold)));
    }
    execution.then(
        ready.handle((done, failure) -> failure).thenCompose(failure -> all(answers, failure)),
        done -> {
          for (int i = 0; i < atOnce; i++) {
            found(runs.get(i), answers.get(i).join(), locked);
          }
          lock(by, look, batch, runs.subList(atOnce, runs.size()), locked);
        });
  }

  private Parameters lockFormats(FirstLocked.ByKeys by) {
    short[] formats = new short[columns + by.identity().size()];
    for (int i = 0; i < columns; i++) {
      formats[i] = execution.wireParameters().resultFormat(i);
    }
    return execution.wireParameters().withResultFormats(formats);
  }

  private void found(List<Candidate> run, PartedRows answer, Map<Candidate, Frame> locked) {
    requireAlike(answer);
    Map<List<@Nullable String>, Frame> rows = new HashMap<>();
    for (DataRows.Parted row : answer.rows()) {
      rows.put(texts(row.rest()), row.first());
    }
    for (Candidate candidate : run) {
      Frame row = rows.get(candidate.identity());
      if (row != null) {
        locked.put(candidate, row);
      }
    }
  }

  private static List<@Nullable String> texts(List<byte @Nullable []> values) {
    List<@Nullable String> texts = new ArrayList<>(values.size());
    values.forEach(
        v -> texts.add(v == null ? null : new String(v, java.nio.charset.StandardCharsets.UTF_8)));
    return texts;
  }

  // --- the end ---------------------------------------------------------------------------------

  private void end() {
    List<Frame> given = taken.subList((int) Math.min(offset, taken.size()), taken.size());
    StreamedRows.give(execution, new HeldRows(execution.tx(), description, given), ownTransaction);
  }
}
