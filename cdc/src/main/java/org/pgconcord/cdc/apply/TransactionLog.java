package org.pgconcord.cdc.apply;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.store.Codec;
import org.pgconcord.state.store.Cursor;
import org.pgconcord.state.store.StateBatch;
import org.pgconcord.state.store.StateKey;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.state.store.StateTable;

/**
 * What the streams delivered while a verification runs: each transaction's id, commit position and
 * entry changes. A snapshot of an owner shard is no prefix of its stream, so the verifier corrects
 * its sums by the transactions that only one of snapshot and progress row holds.
 *
 * <p>Kept only between {@code retain} and {@code release}; a restart of the daemon ends every
 * verification and {@link #clear} drops what was kept. Written by tails' threads, read by anybody.
 */
public final class TransactionLog {
  private static final int PART = 2_000;

  /**
   * A transaction, or a part of a large one.
   *
   * @param xid the low 32 bits; see {@link Xids#widen}
   * @param changes its entry changes in order, the cancelling ones included
   */
  public record Logged(long xid, Lsn commitLsn, List<EntryChange> changes) {}

  private final StateStore store;
  private final Map<GsiName, Integer> retained = new ConcurrentHashMap<>();

  public TransactionLog(StateStore store) {
    this.store = store;
    clear();
  }

  private void clear() {
    store.clear(StateTable.TRANSACTION_LOG);
  }

  void retain(GsiName gsi) {
    retained.merge(gsi, 1, Integer::sum);
  }

  void release(GsiName gsi) {
    if (retained.merge(gsi, -1, Integer::sum) <= 0) {
      retained.remove(gsi);
      store.write(
          new StateBatch()
              .deletePrefix(StateTable.TRANSACTION_LOG, StateKey.of(gsi.toString()).bytes()));
    }
  }

  /** Notes a transaction when somebody wants it; again after a repetition, to the same effect. */
  void note(LookupIndex index, ShardId shard, SourceTransaction transaction) {
    if (!retained.containsKey(index.name())) {
      return;
    }
    EntryReader reader = new EntryReader(index);
    StateBatch batch = new StateBatch();
    List<EntryChange> part = new ArrayList<>();
    long number = 0;
    for (RowChange change : transaction.changes()) {
      if (reader.concerns(change) && !reader.isTruncate(change)) {
        part.addAll(reader.read(change));
      }
      if (part.size() >= PART) {
        put(batch, index.name(), shard, transaction, number++, part);
        part.clear();
      }
    }
    put(batch, index.name(), shard, transaction, number, part);
    store.write(batch);
  }

  private static void put(
      StateBatch batch,
      GsiName gsi,
      ShardId shard,
      SourceTransaction transaction,
      long number,
      List<EntryChange> changes) {
    if (!changes.isEmpty()) {
      batch.put(
          StateTable.TRANSACTION_LOG,
          prefix(gsi, shard).number(transaction.commitLsn().value()).number(number).bytes(),
          encode(transaction.xid(), changes));
    }
  }

  /** The logged transactions of one stream in commit order. */
  public void forEach(GsiName gsi, ShardId shard, Consumer<Logged> reader) {
    byte[] prefix = prefix(gsi, shard).bytes();
    try (Cursor<byte[], byte[]> cursor =
        store.table(StateTable.TRANSACTION_LOG, Codec.bytes(), Codec.bytes()).scan(prefix)) {
      while (cursor.hasNext()) {
        Map.Entry<byte[], byte[]> entry = cursor.next();
        long lsn = ByteBuffer.wrap(entry.getKey()).getLong(prefix.length);
        reader.accept(decode(new Lsn(lsn), entry.getValue()));
      }
    }
  }

  private static StateKey prefix(GsiName gsi, ShardId shard) {
    return StateKey.of(gsi.toString()).text(shard.uid());
  }

  private static byte[] encode(long xid, List<EntryChange> changes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 * changes.size());
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(xid);
      out.writeInt(changes.size());
      for (EntryChange change : changes) {
        out.writeBoolean(change.adds());
        write(out, change.entry().identity());
        write(out, change.entry().holder());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static Logged decode(Lsn commitLsn, byte[] stored) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
      long xid = in.readLong();
      int size = in.readInt();
      List<EntryChange> changes = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        boolean adds = in.readBoolean();
        Entry entry = new Entry(readTuple(in), readTuple(in));
        changes.add(adds ? EntryChange.add(entry) : EntryChange.remove(entry));
      }
      return new Logged(xid, commitLsn, changes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(DataOutputStream out, Tuple tuple) throws IOException {
    out.writeShort(tuple.size());
    for (String text : tuple.values()) {
      write(out, text);
    }
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static Tuple readTuple(DataInputStream in) throws IOException {
    int size = in.readShort();
    List<String> values = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      values.add(read(in));
    }
    return new Tuple(values);
  }

  private static String read(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
