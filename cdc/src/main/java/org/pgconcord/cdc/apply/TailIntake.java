package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes indexes into a tail's care, each from the position that its progress rows say. Used by the
 * tail's thread alone, but for {@link #appliedRows}.
 */
final class TailIntake {
  private static final Logger LOG = LoggerFactory.getLogger(TailIntake.class);

  private final StreamName name;
  private final TailServices services;
  private final Map<Served.Key, AppliedRows> rows = new ConcurrentHashMap<>();

  TailIntake(StreamName name, TailServices services) {
    this.name = name;
    this.services = services;
  }

  /** One target for each of the index's lookup shards; fails where one has no progress row. */
  List<Served> take(LookupIndex index, ServingMode mode) throws SQLException {
    List<Served> all = new ArrayList<>();
    for (ShardId lookup : index.lookupShards()) {
      all.add(take(index, lookup, mode));
    }
    return all;
  }

  private Served take(LookupIndex index, ShardId lookup, ServingMode mode) throws SQLException {
    TargetContext context =
        new TargetContext(
            name,
            index,
            lookup,
            new ShardSessions(services.sessions()),
            services.sessions(),
            services.positions(),
            services.duplicates(),
            rows.computeIfAbsent(
                new Served.Key(index.name(), lookup), target -> new AppliedRows()));
    try (Connection connection = services.sessions().open(lookup)) {
      ProgressRow.Mark mark =
          new ProgressRow(name, index.name())
              .takeOver(connection)
              .orElseThrow(
                  () ->
                      ErrorCode.INTERNAL.because(
                          "%s has no progress row for stream %s on %s"
                              .formatted(index.name(), name, lookup)));
      LOG.info(
          "tail serves index gsi={} stream={} lookup={} mode={} from={} epoch={}",
          index.name(),
          name,
          lookup,
          mode,
          mark.position(),
          mark.epoch());
      refuseGap(index, mark.position());
      return new Served(context, mode, mark);
    }
  }

  /**
   * No slot is ever acknowledged past a progress row of ours. One that is ahead has been made anew,
   * or moved by somebody else: transactions are missing.
   */
  private void refuseGap(LookupIndex index, Lsn from) throws SQLException {
    Lsn confirmed = services.streams().confirmed(name);
    if (from.isBefore(confirmed)) {
      throw ErrorCode.SLOT_LOST
          .because("stream " + name + " has a gap for " + index.name())
          .withDetail("applied up to " + from + ", but the slot begins at " + confirmed);
    }
  }

  /** The target's progress row says {@code from} again, as long as the slot still has it. */
  void reset(Served one, Lsn from) throws SQLException {
    refuseGap(one.index(), from);
    try (Connection connection = services.sessions().open(one.key().lookup())) {
      new ProgressRow(name, one.key().gsi()).reset(connection, from, one.epoch());
    }
  }

  /** The row changes that have been brought to the index, to each lookup shard; any thread. */
  long appliedRows(GsiName gsi) {
    return rows.entrySet().stream()
        .filter(each -> each.getKey().gsi().equals(gsi))
        .mapToLong(each -> each.getValue().count())
        .sum();
  }
}
