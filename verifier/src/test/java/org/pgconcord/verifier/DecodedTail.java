package org.pgconcord.verifier;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.Progress;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.testkit.fixture.ThingsByKey;
import org.pgconcord.testkit.fixture.TwoShards;

/**
 * The smallest engine: reads both owner shards' streams through the plugin test_decoding and, while
 * told to, applies whole transactions blindly with their progress rows. An insert that meets
 * another owner's entry waits and is tried again. One thread; keys and shard keys without quotes.
 */
final class DecodedTail implements AppliedPositions, TransactionLog, AutoCloseable {
  private static final Pattern FIELD = Pattern.compile("(\\w+)\\[[^\\]]+\\]:('([^']*)'|[^ ]+)");

  private final OwnerShards shards;
  private final boolean apply;
  private final CompletableFuture<Void> running;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Map<ShardId, Lsn> applied = new TreeMap<>();
  private final Map<ShardId, List<Logged>> log = new TreeMap<>();
  private final List<Entry> parked = new ArrayList<>();
  private boolean keep;
  private volatile boolean stop;
  private volatile @Nullable Exception failure;

  /** Starts at what the shards hold now, which the lookup table must say already. */
  DecodedTail(OwnerShards shards, boolean apply) throws SQLException {
    this.shards = shards;
    this.apply = apply;
    for (ShardId shard : List.of(TwoShards.A, TwoShards.B)) {
      try (Connection owner = shards.cluster().asSuperuser(shard);
          Connection target = shards.service(TwoShards.A);
          Statement statement = owner.createStatement()) {
        ThingsByKey.run(
            owner,
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name"
                + " = 'tail'");
        try (ResultSet row =
            statement.executeQuery(
                "SELECT lsn::text FROM"
                    + " pg_create_logical_replication_slot('tail', 'test_decoding')")) {
          row.next();
          Lsn start = Lsn.parse(row.getString(1));
          Progress.remove(target, shard.uid(), shards.index().name().toString());
          new Progress(shard.uid(), shards.index().name().toString(), start, 0).store(target);
          applied.put(shard, start);
          log.put(shard, new ArrayList<>());
        }
      }
    }
    running = CompletableFuture.runAsync(this::work, task -> new Thread(task, "tail").start());
  }

  @Override
  public Lsn applied(ShardId shard) {
    lock.lock();
    try {
      return applied.getOrDefault(shard, Lsn.ZERO);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean await(ShardId shard, Lsn position, Duration limit)
      throws SQLException, InterruptedException {
    try (Connection owner = shards.service(shard)) {
      ThingsByKey.run(owner, "SELECT pg_logical_emit_message(true, 'mark', '')");
    }
    lock.lock();
    try {
      long left = limit.toNanos();
      while (applied.getOrDefault(shard, Lsn.ZERO).isBefore(position)) {
        if (left <= 0 || failure != null) {
          return false;
        }
        left = moved.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void retain(GsiName gsi) {
    lock.lock();
    try {
      keep = true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void release(GsiName gsi) {
    lock.lock();
    try {
      keep = false;
      log.values().forEach(List::clear);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void forEach(GsiName gsi, ShardId shard, Consumer<Logged> reader) {
    lock.lock();
    try {
      List.copyOf(log.getOrDefault(shard, List.of())).forEach(reader);
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    try (Connection a = shards.cluster().asSuperuser(TwoShards.A);
        Connection b = shards.cluster().asSuperuser(TwoShards.B);
        Connection target = shards.service(TwoShards.A)) {
      target.setAutoCommit(false);
      while (!stop) {
        poll(TwoShards.A, a, target);
        poll(TwoShards.B, b, target);
        retryParked(target);
      }
    } catch (SQLException | RuntimeException e) {
      failure = e;
      throw new IllegalStateException(e);
    }
  }

  private void poll(ShardId shard, Connection source, Connection target) throws SQLException {
    Lsn flushed;
    List<EntryChange> changes = new ArrayList<>();
    try (Statement statement = source.createStatement()) {
      try (ResultSet row = statement.executeQuery("SELECT pg_current_wal_flush_lsn()::text")) {
        row.next();
        flushed = Lsn.parse(row.getString(1));
      }
      try (ResultSet row =
          statement.executeQuery(
              "SELECT lsn::text, xid::text, data FROM"
                  + " pg_logical_slot_get_changes('tail', NULL, NULL)")) {
        while (row.next()) {
          String data = row.getString(3);
          if (data.startsWith("table public.things:")) {
            changes.addAll(read(data));
          } else if (data.startsWith("COMMIT")) {
            Lsn commit = Lsn.parse(row.getString(1));
            Logged transaction = new Logged(row.getLong(2), commit, changes);
            note(shard, transaction);
            if (apply) {
              apply(shard, transaction, target);
            }
            changes = new ArrayList<>();
          }
        }
      }
    }
    target.commit();
    advance(shard, flushed);
  }

  private void note(ShardId shard, Logged transaction) {
    lock.lock();
    try {
      if (keep) {
        log.getOrDefault(shard, new ArrayList<>()).add(transaction);
      }
    } finally {
      lock.unlock();
    }
  }

  private void advance(ShardId shard, Lsn position) {
    lock.lock();
    try {
      applied.put(shard, position);
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private List<EntryChange> read(String data) {
    int split = data.indexOf(" new-tuple:");
    List<EntryChange> changes = new ArrayList<>();
    if (data.contains(": INSERT:")) {
      changes.add(EntryChange.add(entry(data)));
    } else if (data.contains(": DELETE:")) {
      changes.add(EntryChange.remove(entry(data)));
    } else {
      changes.add(EntryChange.remove(entry(split < 0 ? data : data.substring(0, split))));
      changes.add(EntryChange.add(entry(split < 0 ? data : data.substring(split))));
    }
    return changes;
  }

  private static Entry entry(String text) {
    Map<String, String> fields = new TreeMap<>();
    Matcher matcher = FIELD.matcher(text);
    while (matcher.find()) {
      String quoted = matcher.group(3);
      fields.put(matcher.group(1), quoted != null ? quoted : matcher.group(2));
    }
    return new Entry(
        Tuple.of(fields.getOrDefault("k", "")), Tuple.of(fields.getOrDefault("sk", "")));
  }

  private void apply(ShardId shard, Logged transaction, Connection target) throws SQLException {
    Map<Entry, Integer> net = new LinkedHashMap<>();
    transaction.changes().forEach(c -> net.merge(c.entry(), c.adds() ? 1 : -1, Integer::sum));
    for (Map.Entry<Entry, Integer> change : net.entrySet()) {
      if (change.getValue() < 0 && !parked.remove(change.getKey())) {
        Entry entry = change.getKey();
        ThingsByKey.change(
            target,
            "DELETE FROM things_by_k WHERE k = ? AND sk = ?",
            entry.identity().get(0),
            entry.holder().get(0));
      }
    }
    for (Map.Entry<Entry, Integer> change : net.entrySet()) {
      if (change.getValue() > 0 && !insert(change.getKey(), target)) {
        parked.add(change.getKey());
      }
    }
    String gsi = shards.index().name().toString();
    if (!new Progress(shard.uid(), gsi, transaction.commitLsn(), 0).store(target)) {
      throw new IllegalStateException("the progress row went back");
    }
  }

  private void retryParked(Connection target) throws SQLException {
    for (Entry entry : List.copyOf(parked)) {
      if (insert(entry, target)) {
        parked.remove(entry);
      }
    }
    target.commit();
  }

  private static boolean insert(Entry entry, Connection target) throws SQLException {
    try (PreparedStatement statement =
        target.prepareStatement(
            "INSERT INTO things_by_k (k, sk) VALUES (?, ?) ON CONFLICT (k) DO NOTHING")) {
      statement.setObject(1, entry.identity().get(0), Types.OTHER);
      statement.setObject(2, entry.holder().get(0), Types.OTHER);
      return statement.executeUpdate() == 1;
    }
  }

  @Override
  public void close() {
    stop = true;
    running.join();
  }
}
