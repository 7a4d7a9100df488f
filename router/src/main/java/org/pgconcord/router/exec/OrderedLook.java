package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.plan.SortKey;
import org.pgconcord.router.wire.DataRows;

/**
 * The rows of several shards in one order, by their identities, without locks. What a shard has
 * been asked for may be used up before enough rows are locked; then all are looked at again,
 * further, and rows that have been tried are left out.
 */
final class OrderedLook {
  /**
   * A row as it was seen.
   *
   * @param identity its primary keys as text
   */
  record Candidate(ShardId shard, List<@Nullable String> identity, List<byte @Nullable []> keys) {}

  private record Name(ShardId shard, List<@Nullable String> identity) {}

  private final int identity;
  private final List<SortKey> order;
  private final Map<ShardId, Deque<Candidate>> rows = new LinkedHashMap<>();
  private final Set<ShardId> cutShort = new HashSet<>();
  private final Set<Name> tried = new HashSet<>();
  private @Nullable Comparator<Candidate> comparator;

  /**
   * Nothing has been seen.
   *
   * @param identity how many columns it has
   */
  OrderedLook(int identity, List<SortKey> order) {
    this.identity = identity;
    this.order = order;
  }

  /** Forgets what was seen, not what was tried. */
  void again() {
    rows.clear();
    cutShort.clear();
  }

  /** What a shard has answered that was asked for {@code most} rows. */
  void seen(PartedRows answer, long most) {
    if (comparator == null) {
      comparator = comparator(answer);
    }
    Deque<Candidate> mine = new ArrayDeque<>();
    Candidate before = null;
    for (DataRows.Parted row : answer.rows()) {
      Candidate candidate =
          new Candidate(answer.shard(), DataRows.texts(row.first()).get(0), row.rest());
      if (before != null && comparator.compare(before, candidate) > 0) {
        throw ErrorCode.SCATTER_SHARDS_DIFFER.because(
            "shard %s sorts by another collation than the one that is known of its columns"
                .formatted(answer.shard()));
      }
      before = candidate;
      if (!tried.contains(new Name(candidate.shard(), candidate.identity()))) {
        mine.add(candidate);
      }
    }
    rows.put(answer.shard(), mine);
    if (answer.rows().size() >= most) {
      cutShort.add(answer.shard());
    }
  }

  private Comparator<Candidate> comparator(PartedRows answer) {
    List<KeyOrder> orders = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      int type = answer.description().fields().get(identity + i).typeOid();
      orders.add(
          KeyOrder.of(order.get(i), type)
              .orElseThrow(
                  () -> ErrorCode.SCHEMA_NOT_READ.because("a column has changed its type")));
    }
    return (one, other) -> {
      for (int i = 0; i < orders.size(); i++) {
        int compared = orders.get(i).compare(one.keys().get(i), other.keys().get(i));
        if (compared != 0) {
          return compared;
        }
      }
      return 0;
    };
  }

  /**
   * The next rows that are certain to come next, which count as tried; none when all have been
   * tried, or the next one is not known ({@link #isCutShort}).
   */
  List<Candidate> next(long most) {
    List<Candidate> next = new ArrayList<>();
    while (next.size() < most && !isCutShort()) {
      Deque<Candidate> first = null;
      for (Deque<Candidate> each : rows.values()) {
        if (!each.isEmpty() && (first == null || comesFirst(each, first))) {
          first = each;
        }
      }
      if (first == null) {
        break;
      }
      Candidate candidate = first.remove();
      tried.add(new Name(candidate.shard(), candidate.identity()));
      next.add(candidate);
    }
    return next;
  }

  private boolean comesFirst(Deque<Candidate> one, Deque<Candidate> other) {
    return comparator != null && comparator.compare(one.element(), other.element()) < 0;
  }

  /** A shard may have more rows than it was asked for, and all that it gave have been tried. */
  boolean isCutShort() {
    return cutShort.stream()
        .anyMatch(shard -> rows.getOrDefault(shard, new ArrayDeque<>()).isEmpty());
  }
}
