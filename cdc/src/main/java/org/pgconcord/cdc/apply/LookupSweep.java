package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.CoveringSwitch;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.SettlementRunner;

/**
 * Finds surplus entries that no stream shows: their PRE committed and their MAIN did not, and a
 * crash hid who knew. It passes once over the lookup table in key order, asks each owner shard
 * which of a page's entries have no row, and settles those. The question takes no locks and may be
 * early or late either way: a suspicion costs a settlement, and an entry that becomes surplus later
 * belongs to whoever makes it so.
 *
 * <p>An entry on another lookup shard than its key's is surplus whatever its row: nobody looks for
 * it there and nobody keeps it true, so it is removed without a question.
 *
 * <p>Used by one thread.
 */
final class LookupSweep implements AutoCloseable {
  private static final int PAGE = 2_000;
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

  private final LookupIndex index;
  private final LookupWriter writer;
  private final ShardSessions sessions;
  private final SettlementRunner settlements;

  /**
   * What a pass did.
   *
   * @param removed entries that had no owner row, or were where nobody looks
   * @param unsettled keys whose locks were not to be had; the next pass meets them again
   */
  record Result(long entries, long removed, List<Tuple> unsettled) {
    Result plus(Result other) {
      List<Tuple> all = new ArrayList<>(unsettled);
      all.addAll(other.unsettled);
      return new Result(entries + other.entries, removed + other.removed, all);
    }
  }

  LookupSweep(LookupIndex index, SettlementRunner.Sessions source) {
    this.index = index;
    this.writer = new LookupWriter(index);
    this.sessions = new ShardSessions(source);
    this.settlements = new SettlementRunner(index, source, LOCK_TIMEOUT);
  }

  /** One pass; ends early when {@code stop} says so. */
  Result pass(BooleanSupplier stop) throws SQLException {
    Result all = new Result(0, 0, List.of());
    for (ShardId lookup : index.lookupShards()) {
      all = all.plus(pass(lookup, stop));
    }
    return all;
  }

  private Result pass(ShardId lookup, BooleanSupplier stop) throws SQLException {
    Result all = new Result(0, 0, List.of());
    @Nullable Tuple after = null;
    List<Entry> page;
    do {
      page = writer.page(sessions.on(lookup), Optional.ofNullable(after), PAGE);
      all = all.plus(settlePage(lookup, page, stop));
      after = page.isEmpty() ? after : page.get(page.size() - 1).identity();
    } while (page.size() == PAGE && !stop.getAsBoolean());
    return all;
  }

  private Result settlePage(ShardId lookup, List<Entry> page, BooleanSupplier stop)
      throws SQLException {
    Predicate<Entry> inPlace = entry -> index.lookupShard(entry.identity()).equals(lookup);
    List<Entry> strays = page.stream().filter(inPlace.negate()).toList();
    long removed = stop.getAsBoolean() ? 0 : writer.delete(sessions.on(lookup), strays);
    List<Tuple> unsettled = new ArrayList<>();
    for (Entry suspect : ownerless(page.stream().filter(inPlace).toList())) {
      if (stop.getAsBoolean()) {
        break;
      }
      Outcome.Kind kind = settle(suspect.identity());
      removed += kind == Outcome.Kind.REMOVED ? 1 : 0;
      if (kind == Outcome.Kind.UNSETTLED) {
        unsettled.add(suspect.identity());
      }
    }
    return new Result(page.size(), removed, unsettled);
  }

  /** Takes off the tokens that dead transactions have left on entries of a covering index. */
  void settlePending(BooleanSupplier stop) throws SQLException {
    if (!index.gsi().covering()) {
      return;
    }
    for (ShardId shard : index.lookupShards()) {
      Connection lookup = sessions.on(shard);
      for (Tuple identity : new CoveringSwitch(index).pending(lookup, PAGE)) {
        if (stop.getAsBoolean()) {
          return;
        }
        settle(identity);
      }
    }
  }

  /** Settles one identity whose entry is in question. */
  Outcome.Kind settle(Tuple identity) throws SQLException {
    return settlements.settle(identity, null).kind();
  }

  private List<Entry> ownerless(List<Entry> page) throws SQLException {
    Map<ShardId, List<Entry>> byShard = new TreeMap<>();
    for (Entry entry : page) {
      byShard.computeIfAbsent(index.shardOf(entry), s -> new ArrayList<>()).add(entry);
    }
    List<Entry> suspects = new ArrayList<>();
    for (Map.Entry<ShardId, List<Entry>> shard : byShard.entrySet()) {
      suspects.addAll(writer.ownerless(sessions.on(shard.getKey()), shard.getValue()));
    }
    return suspects;
  }

  @Override
  public void close() {
    sessions.close();
    settlements.close();
  }
}
