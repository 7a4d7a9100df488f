package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.SortKey;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * Opens the portals of one query on all its shards, in the session's transaction, and sees that
 * they have the same columns. When one cannot be opened the others are cancelled, and that is told
 * after all of them have answered.
 */
final class StreamOpening {
  private final Execution execution;
  private final List<SortKey> keys;
  private final String sql;
  private final Parameters asked;
  private final List<BackendConnection> backends = new ArrayList<>();
  private final List<ShardPortal> portals = new ArrayList<>();
  private final CompletableFuture<RowStream> opened = new CompletableFuture<>();
  private @Nullable RowDescription description;
  private @Nullable ShardId describedBy;
  private @Nullable Throwable failure;
  private int open;

  private StreamOpening(Execution execution, List<SortKey> keys, String sql, Parameters asked) {
    this.execution = execution;
    this.keys = keys;
    this.sql = sql;
    this.asked = asked;
  }

  /** The rows of the shards one after the other, or merged where {@code sorted} says by what. */
  static CompletableFuture<RowStream> of(
      Execution execution, List<ShardId> shards, Optional<Plan.Sorted> sorted) {
    return of(execution, shards, sorted, execution.wireParameters());
  }

  /** The same with all columns as text. */
  static CompletableFuture<RowStream> ofText(
      Execution execution, List<ShardId> shards, Optional<Plan.Sorted> sorted) {
    return of(execution, shards, sorted, execution.wireParameters().withResultFormats());
  }

  private static CompletableFuture<RowStream> of(
      Execution execution, List<ShardId> shards, Optional<Plan.Sorted> sorted, Parameters asked) {
    StreamOpening opening =
        new StreamOpening(
            execution,
            sorted.map(Plan.Sorted::keys).orElse(List.of()),
            sorted.map(s -> s.sql(execution.planned().text())).orElseGet(execution::sql),
            asked);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (ShardId shard : shards) {
      all =
          all.thenCompose(before -> execution.reader(shard))
              .thenAccept(backend -> opening.backends.add(backend));
    }
    return all.thenCompose(acquired -> opening.open());
  }

  private CompletableFuture<RowStream> open() {
    if (keys.isEmpty()) {
      send(execution.declaredTypes(), asked);
      return opened;
    }
    return DescribedStatement.ask(backends.get(0), sql, execution.declaredTypes())
        .thenCompose(
            described -> {
              send(described.types(), withKeys(described.columns() - keys.size()));
              return opened;
            });
  }

  /** The client's columns in its formats, the keys in binary. */
  private Parameters withKeys(int columns) {
    short[] formats = new short[columns + keys.size()];
    for (int i = 0; i < formats.length; i++) {
      formats[i] = i < columns ? asked.resultFormat(i) : 1;
    }
    return asked.withResultFormats(formats);
  }

  private void send(ParameterTypes types, Parameters values) {
    for (BackendConnection backend : backends) {
      portals.add(new ShardPortal(backend, execution.session().portals().name()));
    }
    open = portals.size();
    List.copyOf(portals).forEach(portal -> portal.open(sql, types, values, new Opened(portal)));
  }

  private void fail(ShardPortal by, Throwable cause) {
    if (failure == null) {
      failure = cause;
      portals.stream().filter(portal -> portal != by).forEach(ShardPortal::cancel);
    }
  }

  private void answered() {
    open--;
    if (open > 0) {
      return;
    }
    try {
      if (failure != null) {
        opened.completeExceptionally(failure);
      } else {
        opened.complete(stream());
      }
    } catch (RuntimeException e) {
      opened.completeExceptionally(e);
    }
  }

  private RowStream stream() {
    if (description == null) {
      throw ErrorCode.INTERNAL.because("a query without columns was to be streamed");
    }
    int columns = description.fields().size() - keys.size();
    RowDescription own = description.keepFirst(columns);
    if (keys.isEmpty()) {
      return new Concatenation(execution.tx(), portals, own);
    }
    List<KeyOrder> orders = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      int type = description.fields().get(columns + i).typeOid();
      orders.add(
          KeyOrder.of(keys.get(i), type)
              .orElseThrow(
                  () -> ErrorCode.SCHEMA_NOT_READ.because("a column has changed its type")));
    }
    return new SortedMerge(
        execution.tx(),
        portals,
        own,
        orders,
        execution.planned().plan().facts().locks(),
        execution.session().portals());
  }

  /** One shard's portal. */
  private final class Opened implements ShardPortal.Listener {
    private final ShardPortal portal;

    Opened(ShardPortal portal) {
      this.portal = portal;
    }

    @Override
    public void described(Frame frame) {
      RowDescription mine = RowDescription.read(frame);
      if (description == null) {
        description = mine;
        describedBy = portal.shard();
      } else if (!OverShards.alike(description, mine)) {
        fail(portal, OverShards.differ(describedBy, description, portal.shard(), mine));
      }
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void answered(@Nullable ErrorFields fields) {
      if (fields != null) {
        fail(portal, new ShardErrorException(portal.shard(), worded(fields)));
      }
      StreamOpening.this.answered();
    }

    /** A place in the client's text is one in the text with keys up to where they are added. */
    private ErrorFields worded(ErrorFields fields) {
      return keys.isEmpty() ? fields : Gather.withoutPosition(fields);
    }
  }
}
