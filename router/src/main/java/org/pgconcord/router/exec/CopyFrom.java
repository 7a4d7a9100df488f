package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.copy.BadCopyData;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.copy.CopyRow;
import org.pgconcord.router.copy.RowReader;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * COPY FROM STDIN into a sharded table: the client's data is cut into rows, and each row's bytes go
 * to the shard of its key, where one COPY runs from the first such row on ({@link CopyLane}).
 *
 * <p>Data is taken from the client only while every shard takes it: what is held here is one
 * unfinished row, and per shard one message and what its socket does not take. When anything fails,
 * the data, a shard, or the client, all COPYs are ended, each has answered before the client hears
 * of it, and nothing of the statement can be committed.
 */
final class CopyFrom implements CopyReceiver, RowReader.Rows {
  private static final int DOT_IS_DATA_FROM = 18;

  private final Execution execution;
  private final Plan.CopyFrom plan;
  private final CopyFormat format;
  private final RowReader reader;
  private final Map<ShardId, CopyLane> lanes = new LinkedHashMap<>();
  private byte[] header = new byte[0];
  private int headerLines;
  private Runnable more = () -> {};
  private @Nullable ErrorFields failure;
  private boolean byFence;
  private boolean ended;
  private boolean finished;
  private long rows;

  private CopyFrom(Execution execution, Plan.CopyFrom plan) {
    this.execution = execution;
    this.plan = plan;
    this.format = onServer(plan.target().format(), execution.tx());
    this.reader = RowReader.of(format, plan.target().columns(), plan.target().fieldsNeeded(), this);
  }

  static void run(Execution execution, Plan.CopyFrom plan) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    CopyFrom copy = new CopyFrom(execution, plan);
    execution.session().interrupts().set(copy::interrupted);
    execution.sink().copyIn(copy.format.binary(), plan.target().columns().size(), copy);
  }

  /** The format as servers of the shards' version read it. */
  static CopyFormat onServer(CopyFormat format, Transaction tx) {
    return format.withDotEnds(version(tx.serverVersion()) < DOT_IS_DATA_FROM);
  }

  static int version(String text) {
    int end = 0;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return end == 0 ? 0 : Integer.parseInt(text.substring(0, end));
  }

  // --- from the client -------------------------------------------------------------------------

  @Override
  public void begin(Runnable whenReady) {
    more = whenReady;
  }

  @Override
  public boolean ready() {
    return failure != null || lanes.values().stream().allMatch(CopyLane::ready);
  }

  void goOn() {
    more.run();
  }

  @Override
  public void data(byte[] bytes) {
    reading(() -> reader.data(bytes));
  }

  @Override
  public void done() {
    reading(reader::end);
    ended = true;
    if (failure != null) {
      return;
    }
    if (lanes.isEmpty()) {
      // A COPY of nothing may be wrong too: some shard has to say so.
      reading(() -> lane(plan.group().shards().get(0)));
    }
    List.copyOf(lanes.values()).forEach(CopyLane::end);
  }

  @Override
  public void fail(String message) {
    fail(null, ErrorFields.plain("ERROR", "57014", "COPY from stdin failed: " + message));
  }

  @Override
  public void broken(ErrorFields error) {
    fail(null, error);
  }

  private void interrupted() {
    fail(null, ErrorFields.plain("ERROR", "57014", "canceling statement due to user request"));
  }

  private void reading(Runnable work) {
    if (failure != null) {
      return;
    }
    try {
      work.run();
      lanes.values().forEach(CopyLane::flush);
    } catch (BadCopyData bad) {
      fail(null, fields(bad, plan.target().table()));
    } catch (ConcordException e) {
      fail(null, Failures.fields(e));
    }
  }

  static ErrorFields fields(BadCopyData bad, TableName table) {
    ErrorFields fields = ErrorFields.plain("ERROR", bad.sqlState(), bad.words());
    return bad.line() > 0
        ? fields.with('W', "COPY %s, line %d".formatted(table.name(), bad.line()))
        : fields;
  }

  // --- rows ------------------------------------------------------------------------------------

  @Override
  public void header(byte[] bytes, int from, int to, int lines) {
    header = Arrays.copyOfRange(bytes, from, to);
    headerLines = lines;
  }

  @Override
  public void row(CopyRow row) {
    if (row.fields().size() < plan.target().fieldsNeeded()) {
      throw missing(row);
    }
    lane(plan.target().shardOf(row)).add(row);
  }

  private RuntimeException missing(CopyRow row) {
    return BadCopyData.missing(
        row.line(), format.binary() ? "" : plan.target().columns().get(row.fields().size()));
  }

  private CopyLane lane(ShardId shard) {
    CopyLane known = lanes.get(shard);
    if (known != null) {
      return known;
    }
    execution.tx().write(shard);
    CopyLane lane = new CopyLane(this, shard);
    lane.header(header, headerLines);
    lanes.put(shard, lane);
    var unused =
        execution
            .tx()
            .backend(shard)
            .whenComplete(
                (backend, lost) -> {
                  if (lost != null) {
                    lane.abandon();
                    fail(lane, Failures.fields(lost));
                  } else {
                    start(lane, backend);
                  }
                });
    return lane;
  }

  private void start(CopyLane lane, BackendConnection backend) {
    boolean dotEnds = version(backend.parameter("server_version")) < DOT_IS_DATA_FROM;
    if (failure == null && format.kind() == CopyFormat.Kind.CSV && dotEnds != format.dotEnds()) {
      lane.abandon();
      fail(
          lane,
          ErrorFields.of(
              ErrorCode.SQL_COPY.because(
                  "COPY in CSV to shards before and from version 18, which read \\. differently")));
    } else if (failure == null) {
      lane.start(backend, plan.sql());
    } else {
      lane.abandon();
      settle();
    }
  }

  // --- from the shards -------------------------------------------------------------------------

  boolean failed() {
    return failure != null;
  }

  void stored(long count) {
    rows += count;
  }

  void notice(Frame frame) {
    execution.sink().notice(frame);
  }

  /** The first failure is the client's; all else is ended. */
  void fail(@Nullable CopyLane by, ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      byFence = execution.tx().stoppedByFence();
      new ArrayList<>(lanes.values()).stream().filter(l -> l != by).forEach(CopyLane::stop);
      more.run();
    }
    settle();
  }

  /** Goes on when nothing runs on any shard. */
  void settle() {
    boolean running = lanes.values().stream().anyMatch(lane -> !lane.over());
    if (finished || running || (failure == null && !ended)) {
      return;
    }
    finished = true;
    execution.session().interrupts().clear();
    if (failure != null) {
      execution.failFirst(failure, byFence);
    } else {
      execution.then(
          commitIfSingle(),
          done -> {
            execution.sink().complete("COPY " + rows);
            execution.done();
          });
    }
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }
}
