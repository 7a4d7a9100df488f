package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * Rows that each shard sends in order, merged into one order. Each row comes with its keys behind
 * it, which are taken off.
 *
 * <p>A row is given when every shard that may have more has one here that does not come before it.
 * So a portion of each shard's rows is held and no more; the next one is asked for when the portion
 * is used up, and is as large as the widest row allows ({@link #PORTION_BYTES}).
 *
 * <p>A shard whose rows come in another order, because its column has another collation than the
 * router knows of, ends the stream with an error. Only a shard that locks rows may send them out of
 * order, where others changed them meanwhile (PostgreSQL manual, SELECT, "The Locking Clause").
 */
final class SortedMerge extends RowStream {
  /** What is held of one shard's rows, about. */
  static final int PORTION_BYTES = 256 << 10;

  /** A first portion, when nothing is known of the rows. */
  private static final int FEW = 16;

  private static final int MANY = 4_096;

  private final int columns;
  private final Comparator<DataRows.Parted> order;
  private final boolean mayStray;
  private final Map<ShardPortal, Deque<DataRows.Parted>> held = new LinkedHashMap<>();
  private final Map<ShardPortal, DataRows.Parted> last = new HashMap<>();
  private final Portals others;
  private int widest;
  private long heldBytes;

  /**
   * @param description the client's columns, without the keys behind them
   * @param keys the orders of the columns behind those
   * @param mayStray rows can come out of order, since they are locked
   * @param others what else the session holds
   */
  SortedMerge(
      Transaction tx,
      List<ShardPortal> portals,
      RowDescription description,
      List<KeyOrder> keys,
      boolean mayStray,
      Portals others) {
    super(tx, portals, description);
    this.mayStray = mayStray;
    this.others = others;
    this.columns = description.fields().size();
    this.order = order(keys);
    portals.forEach(portal -> held.put(portal, new ArrayDeque<>()));
  }

  private static Comparator<DataRows.Parted> order(List<KeyOrder> keys) {
    return (one, other) -> {
      for (int i = 0; i < keys.size(); i++) {
        int compared = keys.get(i).compare(one.rest().get(i), other.rest().get(i));
        if (compared != 0) {
          return compared;
        }
      }
      return 0;
    };
  }

  @Override
  long held() {
    return heldBytes;
  }

  @Override
  protected void step() {
    while (left() > 0) {
      if (askTheEmpty()) {
        return;
      }
      Optional<Deque<DataRows.Parted>> next = next();
      if (next.isEmpty()) {
        return;
      }
      Frame row = next.get().remove().first();
      heldBytes -= row.length();
      give(row);
    }
  }

  /** Whether rows are missing that could come next. */
  private boolean askTheEmpty() {
    boolean missing = false;
    for (Map.Entry<ShardPortal, Deque<DataRows.Parted>> each : held.entrySet()) {
      if (each.getValue().isEmpty() && !each.getKey().ended()) {
        ask(each.getKey(), portion());
        missing = true;
      }
    }
    return missing;
  }

  private int portion() {
    return widest == 0 ? FEW : Math.max(1, Math.min(MANY, PORTION_BYTES / widest));
  }

  /** The rows whose first is the first of all. */
  private Optional<Deque<DataRows.Parted>> next() {
    Deque<DataRows.Parted> next = null;
    for (Deque<DataRows.Parted> rows : held.values()) {
      if (!rows.isEmpty() && (next == null || comesFirst(rows, next))) {
        next = rows;
      }
    }
    return Optional.ofNullable(next);
  }

  private boolean comesFirst(Deque<DataRows.Parted> rows, Deque<DataRows.Parted> others) {
    return order.compare(rows.element(), others.element()) < 0;
  }

  @Override
  protected void arrived(ShardPortal from, Frame rows) {
    for (DataRows.Parted row : DataRows.parted(rows, columns)) {
      requireOrder(from, last.put(from, row), row);
      held.computeIfAbsent(from, portal -> new ArrayDeque<>()).add(row);
      heldBytes += row.first().length();
      widest = Math.max(widest, row.first().length());
    }
    requireRoom();
  }

  private void requireOrder(
      ShardPortal from, DataRows.@Nullable Parted before, DataRows.Parted row) {
    if (before != null && !mayStray && order.compare(before, row) > 0) {
      fail(
          ErrorFields.of(
              ErrorCode.SCATTER_SHARDS_DIFFER.because(
                  "shard %s sorts by another collation than the one that is known of its columns"
                      .formatted(from.shard()))));
    }
  }

  private void requireRoom() {
    if (heldBytes + others.heldBeside(this) > Gather.HELD_MOST) {
      fail(
          ErrorFields.of(
              ErrorCode.QUERY_TOO_LARGE.because(
                  "more than %d MiB of rows would have to be held to merge them, with those of the session's other portals"
                      .formatted(Gather.HELD_MOST >> 20))));
    }
  }
}
