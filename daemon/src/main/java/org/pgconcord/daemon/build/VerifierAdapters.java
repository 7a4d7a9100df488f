package org.pgconcord.daemon.build;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.pgconcord.cdc.apply.StreamPause;
import org.pgconcord.cdc.apply.StreamPositions;
import org.pgconcord.cdc.apply.Tails;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.AppliedPositions;
import org.pgconcord.verifier.BlindWrites;
import org.pgconcord.verifier.TransactionLog;

/** What the verifier needs of the streams, in its own words. */
public final class VerifierAdapters {
  private VerifierAdapters() {}

  public static AppliedPositions positions(StreamPositions positions) {
    return new AppliedPositions() {
      @Override
      public Lsn applied(ShardId shard) {
        return positions.applied(shard);
      }

      @Override
      public boolean await(ShardId shard, Lsn position, Duration limit)
          throws SQLException, InterruptedException {
        return positions.awaitApplied(shard, position, limit);
      }
    };
  }

  public static BlindWrites blindWrites(Tails tails) {
    return gsi -> {
      StreamPause pause = tails.pause(gsi);
      return pause::end;
    };
  }

  public static TransactionLog log(Tails tails) {
    return new Log(tails);
  }

  private static final class Log implements TransactionLog {
    private final Tails tails;
    private final Map<GsiName, Tails.Retention> retained = new ConcurrentHashMap<>();

    Log(Tails tails) {
      this.tails = tails;
    }

    @Override
    public void retain(GsiName gsi) throws SQLException, InterruptedException {
      retained.put(gsi, tails.retain(gsi));
    }

    @Override
    public void release(GsiName gsi) {
      Tails.Retention retention = retained.remove(gsi);
      if (retention != null) {
        retention.close();
      }
    }

    @Override
    public void forEach(GsiName gsi, ShardId shard, Consumer<Logged> reader) {
      tails
          .log()
          .forEach(
              gsi,
              shard,
              logged ->
                  reader.accept(new Logged(logged.xid(), logged.commitLsn(), logged.changes())));
    }
  }
}
