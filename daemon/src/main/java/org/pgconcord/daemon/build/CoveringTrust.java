package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.CoveringSwitch;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Around a verification of a covering index: a clean one lets its entries answer again, any other
 * takes that away (docs/decisions/0018-covering-reads.md). An index that is not covering is left
 * alone.
 */
final class CoveringTrust {
  private static final Logger LOG = LoggerFactory.getLogger(CoveringTrust.class);
  private static final int TOKENS = 1_000;
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

  private final LookupIndex index;
  private final SettlementRunner.Sessions sessions;
  private final Map<ShardId, Long> seen = new LinkedHashMap<>();
  private final long began = System.nanoTime();

  /** Before the verification begins. */
  CoveringTrust(LookupIndex index, SettlementRunner.Sessions sessions) {
    this.index = index;
    this.sessions = sessions;
    if (index.gsi().covering()) {
      index.lookupShards().forEach(this::note);
    }
  }

  private void note(ShardId shard) {
    try (Connection lookup = sessions.open(shard)) {
      seen.put(shard, new CoveringSwitch(index).count(lookup));
    } catch (SQLException e) {
      LOG.warn(
          "covering reads stay as they are gsi={} shard={} cause=\"{}\"",
          index.name(),
          shard,
          e.getMessage());
    }
  }

  /** After it has ended. */
  void verified(boolean clean) {
    seen.forEach((shard, count) -> verified(clean, shard, count));
  }

  private void verified(boolean clean, ShardId shard, long count) {
    try (Connection lookup = sessions.open(shard)) {
      CoveringSwitch covering = new CoveringSwitch(index);
      if (!clean) {
        covering.off(lookup);
        return;
      }
      settleTokens(covering, lookup);
      boolean on = covering.on(lookup, count, Duration.ofNanos(System.nanoTime() - began));
      LOG.info(
          "covering reads after a clean verification gsi={} shard={} on={}",
          index.name(),
          shard,
          on);
    } catch (SQLException e) {
      LOG.warn(
          "covering reads stay as they are gsi={} shard={} cause=\"{}\"",
          index.name(),
          shard,
          e.getMessage());
    }
  }

  /** What dead transactions have left; those of living ones are passed over. */
  private void settleTokens(CoveringSwitch covering, Connection lookup) throws SQLException {
    try (SettlementRunner runner = new SettlementRunner(index, sessions, LOCK_TIMEOUT)) {
      for (Tuple identity : covering.pending(lookup, TOKENS)) {
        runner.settle(identity, null);
      }
    }
  }
}
