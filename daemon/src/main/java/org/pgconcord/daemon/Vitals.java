package org.pgconcord.daemon;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.SlotHealth;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.build.EngineServices;
import org.pgconcord.daemon.build.ProgressBoard;
import org.pgconcord.daemon.build.RoutingPublisher;
import org.pgconcord.daemon.build.StreamVitals;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks each followed shard how far behind its stream is, for the progress board and metrics. */
final class Vitals {
  private static final Logger log = LoggerFactory.getLogger(Vitals.class);

  /** Log that grows without changes of ours: heartbeats, checkpoints. */
  private static final long IDLE_BYTES = 64 << 10;

  private final Engines engines;
  private final RoutingPublisher publisher;
  private final ProgressBoard board;

  Vitals(Engines engines, RoutingPublisher publisher, ProgressBoard board) {
    this.engines = engines;
    this.publisher = publisher;
    this.board = board;
  }

  void refresh() {
    for (LogicalDatabase database : publisher.current().topology().databases().values()) {
      for (Gsi gsi : database.gsis()) {
        if (publisher.current().status(gsi.name()).state() != GsiState.DECLARED) {
          refresh(gsi);
        }
      }
    }
  }

  private void refresh(Gsi gsi) {
    EngineServices engine = engines.of(gsi.name().database());
    for (ShardId shard : LookupIndex.resolve(publisher.current(), gsi).ownerShards()) {
      try {
        engines
            .slots()
            .health(new StreamName(gsi.name().database(), shard))
            .ifPresent(health -> board.vitals(gsi.name(), shard, vitals(engine, shard, health)));
      } catch (SQLException e) {
        log.debug("vitals unknown shard={}", shard, e);
      }
    }
  }

  private static StreamVitals vitals(EngineServices engine, ShardId shard, SlotHealth health) {
    Instant applied = engine.tails().positions().appliedTime(shard);
    boolean behind = health.lagBytes() > IDLE_BYTES && applied.isAfter(Instant.EPOCH);
    double seconds =
        behind ? Math.max(0, Duration.between(applied, Instant.now()).toMillis() / 1000.0) : 0;
    return new StreamVitals(health.lagBytes(), seconds, health.retainedBytes());
  }
}
