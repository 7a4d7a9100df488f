package org.pgconcord.verifier;

import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.testkit.fixture.ThingsByKey;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.verifier.settle.OwnerReader;

/** Sessions that write without pause until closed, each on keys of its own. */
final class Writers implements AutoCloseable {
  private interface Body {
    void write(int writer, long step) throws SQLException;
  }

  /** Steps that a writer makes before it lets the streams catch up. */
  private static final int AHEAD = 20;

  private final OwnerShards shards;
  private final AppliedPositions positions;
  private final List<CompletableFuture<Void>> running = new ArrayList<>();
  private final AtomicLong done = new AtomicLong();
  private final Executor threads = task -> new Thread(task, "writer").start();
  private volatile boolean stop;

  private Writers(OwnerShards shards, AppliedPositions positions) {
    this.shards = shards;
    this.positions = positions;
  }

  /** Direct sessions on the shards: insert, change of key, move to the other shard, delete. */
  static Writers direct(OwnerShards shards, AppliedPositions positions, int count) {
    Writers writers = new Writers(shards, positions);
    for (int i = 0; i < count; i++) {
      writers.start(i, writers.new Direct()::write);
    }
    return writers;
  }

  /** What a maintaining router does: PRE, MAIN with the key lock, POST, in their order. */
  static Writers maintaining(OwnerShards shards, AppliedPositions positions, int count) {
    Writers writers = new Writers(shards, positions);
    for (int i = 0; i < count; i++) {
      writers.start(i, writers.new Maintaining()::write);
    }
    return writers;
  }

  long done() {
    return done.get();
  }

  private void start(int writer, Body body) {
    running.add(
        CompletableFuture.runAsync(
            () -> {
              try {
                for (long step = 0; !stop; step++) {
                  body.write(writer, step);
                  done.incrementAndGet();
                  if (step % AHEAD == 0) {
                    catchUp();
                  }
                }
              } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            threads));
  }

  /** An engine that is never given time would only ever be measured by its lag. */
  private void catchUp() throws SQLException, InterruptedException {
    try (OwnerReader reader = new OwnerReader(shards.index(), shards::service)) {
      for (Map.Entry<ShardId, Lsn> position : reader.positions().entrySet()) {
        positions.await(position.getKey(), position.getValue(), Duration.ofSeconds(60));
      }
    }
  }

  private final class Direct {
    private final Connection a = open(A);
    private final Connection b = open(B);

    void write(int writer, long step) throws SQLException {
      Random random = new Random(step * 31 + writer);
      boolean onA = random.nextBoolean();
      Connection here = onA ? a : b;
      Connection there = onA ? b : a;
      String tenantHere = TwoShards.tenantOf(onA ? A : B, 0);
      String tenantThere = TwoShards.tenantOf(onA ? B : A, 0);
      long id = 1_000_000_000L * (writer + 1) + step;
      String key = "w" + writer + "-" + step % 50 + "-" + step;
      ThingsByKey.run(
          here, "INSERT INTO things VALUES (%s, %d, '%s')".formatted(tenantHere, id, key));
      if (step % 3 == 0) {
        ThingsByKey.run(here, "UPDATE things SET k = '%s!' WHERE id = %d".formatted(key, id));
      } else if (step % 3 == 1) {
        ThingsByKey.run(here, "DELETE FROM things WHERE id = " + id);
        ThingsByKey.run(
            there, "INSERT INTO things VALUES (%s, %d, '%s')".formatted(tenantThere, id, key));
      }
      if (step > 100) {
        ThingsByKey.run(here, "DELETE FROM things WHERE id = " + (id - 100));
      }
    }
  }

  private final class Maintaining {
    private final Connection a = open(A);
    private final Connection b = open(B);
    private final Connection entries = open(A);

    void write(int writer, long step) throws SQLException {
      boolean onA = step % 2 == 0;
      Connection main = onA ? a : b;
      String tenant = TwoShards.tenantOf(onA ? A : B, 0);
      long id = 1_000_000_000L * (writer + 1) + step;
      String key = "r" + writer + "-" + step;
      ThingsByKey.run(
          entries,
          "BEGIN",
          "INSERT INTO things_by_k (k, sk) VALUES ('%s', %s)".formatted(key, tenant));
      ThingsByKey.run(
          main,
          "BEGIN",
          "INSERT INTO things VALUES (%s, %d, '%s')".formatted(tenant, id, key),
          "SELECT pg_advisory_xact_lock_shared(" + shards.index().keyLock(Tuple.of(key)) + ")");
      ThingsByKey.run(entries, "COMMIT");
      ThingsByKey.run(main, "COMMIT");
      if (step > 100) {
        String oldKey = "r" + writer + "-" + (step - 100);
        ThingsByKey.run(main, "BEGIN", "DELETE FROM things WHERE id = " + (id - 100));
        ThingsByKey.run(entries, "BEGIN", "DELETE FROM things_by_k WHERE k = '" + oldKey + "'");
        ThingsByKey.run(main, "COMMIT");
        ThingsByKey.run(entries, "COMMIT");
      }
    }
  }

  private Connection open(ShardId shard) {
    try {
      return shards.service(shard);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    stop = true;
    running.forEach(CompletableFuture::join);
  }
}
