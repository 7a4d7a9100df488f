package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.copy.BadCopyData;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.copy.CopyRow;
import org.pgconcord.router.copy.RowReader;
import org.pgconcord.router.plan.CopyInto;
import org.pgconcord.router.plan.NumberedColumn;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;

/**
 * COPY FROM STDIN into the owner of maintained indexes, or into all copies of a reference table
 * (docs/decisions/0014): the rows must be known as they were stored, so they go by INSERT, many at
 * once, which returns what entries and copies are made of.
 *
 * <p>Rows wait until there are enough of them. Then each shard gets its own in one round ({@link
 * CopyBatch}), and what the round has stored is followed ({@link RowStore}) before the next one
 * begins. Data is taken from the client meanwhile, up to a limit. Before its first rows a shard is
 * sent a COPY of none: PostgreSQL itself judges columns, options, header and rights.
 *
 * <p>All rows are of one transaction, the client's or one of its own. When anything fails, the
 * round that runs is cancelled and waited for, and nothing of the statement can be committed.
 */
final class CopyByInsert implements CopyReceiver, RowReader.Rows {
  private static final int ROUND_ROWS = 2_000;
  private static final int ROUND_BYTES = 1 << 20;
  private static final int WAITING_MOST = 2 * ROUND_BYTES;

  private final Execution execution;
  private final Plan.CopyByInsert plan;
  private final RowStore store;
  private final CopyFormat format;
  private final RowReader reader;
  private final Map<ShardId, Deque<CopyBatch.Row>> waiting = new LinkedHashMap<>();
  private final Map<ShardId, CompletableFuture<BackendConnection>> opened = new LinkedHashMap<>();
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private byte[] header = new byte[0];
  private Runnable more = () -> {};
  private @Nullable ErrorFields failure;
  private boolean byFence;
  private boolean running;
  private boolean ended;
  private boolean finished;
  private int waitingRows;
  private long waitingBytes;
  private long rows;

  private CopyByInsert(Execution execution, Plan.CopyByInsert plan, RowStore store) {
    this.execution = execution;
    this.plan = plan;
    this.store = store;
    this.format = CopyFrom.onServer(plan.format(), execution.tx());
    List<String> columns = plan.inserts().columns();
    this.reader = RowReader.of(format, columns, columns.size() + 1, this);
  }

  static void run(Execution execution, Plan.CopyByInsert plan) {
    RowStore store = store(execution, plan);
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      store.requireOwnTransaction();
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    CopyByInsert copy = new CopyByInsert(execution, plan, store);
    execution.session().interrupts().set(copy::interrupted);
    execution.sink().copyIn(copy.format.binary(), plan.inserts().columns().size(), copy);
  }

  private static RowStore store(Execution execution, Plan.CopyByInsert plan) {
    return plan.into()
        .match(
            new CopyInto.Cases<>() {
              @Override
              public RowStore owner(CopyInto.Owner into) {
                return new OwnerRows(execution, into);
              }

              @Override
              public RowStore copies(CopyInto.Copies into) {
                return new ReferenceRows(execution, plan.facts(), into);
              }
            });
  }

  // --- from the client -------------------------------------------------------------------------

  @Override
  public void begin(Runnable whenReady) {
    more = whenReady;
  }

  @Override
  public boolean ready() {
    return failure != null || !running || waitingBytes < WAITING_MOST;
  }

  @Override
  public void data(byte[] bytes) {
    reading(() -> reader.data(bytes));
    goOn();
  }

  @Override
  public void done() {
    reading(reader::end);
    ended = true;
    goOn();
  }

  @Override
  public void fail(String message) {
    fail(ErrorFields.plain("ERROR", "57014", "COPY from stdin failed: " + message));
    goOn();
  }

  @Override
  public void broken(ErrorFields error) {
    fail(error);
    goOn();
  }

  private void interrupted() {
    fail(ErrorFields.plain("ERROR", "57014", "canceling statement due to user request"));
    goOn();
  }

  private void reading(Runnable work) {
    if (failure != null) {
      return;
    }
    try {
      work.run();
    } catch (BadCopyData bad) {
      fail(CopyFrom.fields(bad, plan.inserts().table()));
    } catch (ConcordException e) {
      fail(Failures.fields(e));
    }
  }

  @Override
  public void header(byte[] bytes, int from, int to, int lines) {
    header = Arrays.copyOfRange(bytes, from, to);
  }

  @Override
  public void row(CopyRow row) {
    List<String> columns = plan.inserts().columns();
    int fields = row.fields().size();
    if (fields != columns.size()) {
      throw BadCopyData.otherCount(
          row.line(), format.binary(), fields < columns.size() ? columns.get(fields) : "");
    }
    waiting
        .computeIfAbsent(store.shardOf(row), s -> new ArrayDeque<>())
        .add(new CopyBatch.Row(row.line(), row.fields(), row.to() - row.from(), new ArrayList<>()));
    waitingRows++;
    waitingBytes += row.to() - row.from();
  }

  // --- rounds ----------------------------------------------------------------------------------

  /** Begins what can be begun, or ends the statement. */
  private void goOn() {
    if (running || finished) {
      return;
    }
    boolean full = waitingRows >= ROUND_ROWS || waitingBytes >= ROUND_BYTES;
    if (failure != null) {
      finish();
    } else if (full || (ended && waitingRows > 0)) {
      begin(round());
    } else if (ended && opened.isEmpty()) {
      // A COPY of nothing may be wrong too: some shard has to say so.
      begin(open(store.anyShard()));
    } else if (ended) {
      finish();
    }
  }

  private void begin(CompletableFuture<?> work) {
    running = true;
    Execution.whenDone(
        work.whenComplete((done, cause) -> note(cause)),
        () -> {
          running = false;
          goOn();
          more.run();
        });
  }

  private void note(@Nullable Throwable cause) {
    if (cause != null) {
      fail(Failures.fields(cause));
    }
  }

  private CompletableFuture<Void> round() {
    Map<ShardId, List<CopyBatch.Row>> taken = new LinkedHashMap<>();
    List.copyOf(waiting.keySet()).forEach(shard -> taken.put(shard, take(shard)));
    return numbered(taken.values().stream().flatMap(List::stream).toList())
        .thenCompose(all -> insert(taken));
  }

  private CompletableFuture<Void> insert(Map<ShardId, List<CopyBatch.Row>> taken) {
    List<CompletableFuture<CopyBatch>> batches = new ArrayList<>();
    taken.forEach(
        (shard, some) ->
            batches.add(
                open(shard)
                    .thenCompose(main -> new CopyBatch(plan, main, some).insert())
                    .whenComplete((done, cause) -> note(cause))));
    return CompletableFuture.allOf(batches.toArray(CompletableFuture<?>[]::new))
        .thenCompose(all -> follow(batches.stream().map(CompletableFuture::join).toList()));
  }

  /** Numbers for the columns that are not in the data, in its order. */
  private CompletableFuture<Void> numbered(List<CopyBatch.Row> round) {
    List<CopyBatch.Row> inOrder =
        round.stream().sorted(Comparator.comparingLong(CopyBatch.Row::line)).toList();
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (NumberedColumn column : plan.inserts().numbered()) {
      all =
          all.thenCompose(
                  before -> execution.session().numbers().take(column.sequence(), inOrder.size()))
              .thenAccept(
                  numbers -> {
                    for (int i = 0; i < numbers.length; i++) {
                      inOrder.get(i).numbers().add(numbers[i]);
                    }
                  });
    }
    return all;
  }

  private List<CopyBatch.Row> take(ShardId shard) {
    Deque<CopyBatch.Row> of = waiting.getOrDefault(shard, new ArrayDeque<>());
    List<CopyBatch.Row> taken = new ArrayList<>();
    while (!of.isEmpty() && taken.size() < plan.inserts().rowsMost()) {
      CopyBatch.Row row = of.remove();
      waitingBytes -= row.bytes();
      waitingRows--;
      taken.add(row);
    }
    if (of.isEmpty()) {
      waiting.remove(shard);
    }
    return taken;
  }

  private CompletableFuture<Void> follow(List<CopyBatch> batches) {
    for (CopyBatch batch : batches) {
      rows += batch.count();
      batch.notices().forEach(execution.sink()::notice);
    }
    return store.follow(mains, batches);
  }

  /** The shard's backend, once it has agreed to the COPY. */
  private CompletableFuture<BackendConnection> open(ShardId shard) {
    return opened.computeIfAbsent(
        shard,
        s ->
            CompletableFuture.completedFuture(s)
                .thenCompose(store::open)
                .thenCompose(
                    main -> {
                      mains.put(s, main);
                      return CopyCheck.run(main, plan.check(), header).thenApply(agreed -> main);
                    }));
  }

  // --- the end ---------------------------------------------------------------------------------

  /** The first failure is the client's; what runs is ended. */
  private void fail(ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      byFence = execution.tx().stoppedByFence();
      mains.values().forEach(BackendConnection::cancel);
    }
  }

  private void finish() {
    finished = true;
    execution.session().interrupts().clear();
    if (failure != null) {
      execution.failFirst(failure, byFence);
      return;
    }
    execution.then(
        execution.tx().scope() == Transaction.Scope.SINGLE
            ? execution.tx().commit()
            : CompletableFuture.completedFuture(null),
        done -> {
          execution.sink().complete("COPY " + rows);
          execution.done();
        });
  }
}
