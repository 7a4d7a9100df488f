package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.cdc.apply.StreamPositions;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/**
 * Waits for an index's streams. How far one is goes by its position between where it began and
 * where it has to come to; how many row changes there will be is concluded from that.
 */
final class CatchUp {
  private static final Duration LONG = Duration.ofHours(24);
  private static final Duration FENCE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(500);

  private final GsiName gsi;
  private final EngineServices services;
  private final Map<ShardId, Way> ways = new TreeMap<>();

  /** One stream's way. */
  private static final class Way {
    final Lsn end;
    final long rowsBefore;
    Lsn begin = Lsn.ZERO;

    Way(Lsn end, long rowsBefore) {
      this.end = end;
      this.rowsBefore = rowsBefore;
    }

    double share(Lsn applied) {
      if (begin.equals(Lsn.ZERO)) {
        begin = applied;
      }
      double whole = end.minus(begin);
      return whole <= 0 ? 0 : Math.min(1, applied.minus(begin) / whole);
    }
  }

  CatchUp(GsiName gsi, EngineServices services) {
    this.gsi = gsi;
    this.services = services;
  }

  /**
   * The streams get to where the servers' logs end now, and once more, since changes keep coming;
   * the second time is a matter of seconds. Phase {@code tail} of each shard.
   */
  void run(List<ShardId> shards) {
    for (ShardId shard : shards) {
      services.board().begin(gsi, shard, "tail");
      ways.put(shard, new Way(end(shard), services.tails().appliedRows(gsi, shard)));
    }
    ways.forEach(this::follow);
    pass(shards);
    shards.forEach(shard -> services.board().end(gsi, shard));
  }

  /** The streams pass where the servers' logs end now. */
  void pass(List<ShardId> shards) {
    for (ShardId shard : shards) {
      Lsn fence = end(shard);
      if (!awaits(shard, fence, FENCE)) {
        throw late(shard, fence);
      }
    }
  }

  private void follow(ShardId shard, Way way) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!awaits(shard, way.end, LOOK)) {
      if (System.nanoTime() - deadline > 0) {
        throw late(shard, way.end);
      }
      ways.forEach(this::show);
    }
    ways.forEach(this::show);
  }

  private void show(ShardId shard, Way way) {
    StreamPositions positions = services.tails().positions();
    long rows = services.tails().appliedRows(gsi, shard) - way.rowsBefore;
    double share = way.share(positions.applied(shard));
    services.board().report(gsi, shard, "tail", rows, share > 0 ? (long) (rows / share) : rows + 1);
  }

  private boolean awaits(ShardId shard, Lsn position, Duration limit) {
    try {
      return services.tails().positions().awaitApplied(shard, position, limit);
    } catch (SQLException e) {
      throw unreachable(shard, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
    }
  }

  private Lsn end(ShardId shard) {
    try (Connection connection = services.sessions().open(shard)) {
      return Fences.position(connection);
    } catch (SQLException e) {
      throw unreachable(shard, e);
    }
  }

  private RuntimeException late(ShardId shard, Lsn position) {
    return ErrorCode.GSI_TIMED_OUT.because(
        gsi + ": the stream of " + shard + " has not come to " + position + " in time");
  }

  private static RuntimeException unreachable(ShardId shard, SQLException e) {
    return ErrorCode.SHARD_UNREACHABLE
        .because("shard " + shard + " does not answer: " + e.getMessage())
        .withCause(e);
  }
}
