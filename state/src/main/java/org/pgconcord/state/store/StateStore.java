package org.pgconcord.state.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's local memory: one RocksDB directory, a fixed set of {@link StateTable}s. Any thread
 * may read and write. A written batch survives the end of this process at once, and the end of the
 * machine when written by {@link #writeDurably}.
 *
 * <p>Nothing here decides an answer, so a directory that cannot be read is renamed away and an
 * empty one takes its place; {@link #recreated} tells. Only a directory that another process holds
 * is an error.
 */
public final class StateStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateStore.class);

  /** Raised when a stored form changes so that the number before cannot be read any more. */
  static final long FORMAT = 1;

  private static final byte[] FORMAT_KEY = {'f', 'o', 'r', 'm', 'a', 't'};

  /** Keys start with a text or a position; none begins with sixteen such bytes. */
  private static final byte[] ABOVE_ALL = filled(16);

  /** What still runs then ends with the process, which closes soon. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path directory;
  private final Uses uses = new Uses();
  private final RocksMemory memory;
  private final RocksDB database;
  private final Map<StateTable, ColumnFamilyHandle> families;
  private final WriteOptions lazy = new WriteOptions();
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final boolean recreated;

  private StateStore(Path directory, RocksMemory memory, Opened opened, boolean recreated) {
    this.directory = directory;
    this.memory = memory;
    this.database = opened.database;
    this.families = opened.families;
    this.recreated = recreated;
  }

  private record Opened(RocksDB database, Map<StateTable, ColumnFamilyHandle> families) {
    void close() {
      families.values().forEach(ColumnFamilyHandle::close);
      database.close();
    }
  }

  /**
   * Opens the directory, which is created when it is missing.
   *
   * @throws ConcordException {@code state/locked} when another process has it open
   */
  public static StateStore open(Path directory) {
    RocksDB.loadLibrary();
    RocksMemory memory = new RocksMemory();
    try {
      Files.createDirectories(directory);
      boolean isNew = isEmpty(directory);
      Optional<Opened> opened = tryOpen(directory, memory);
      if (opened.isPresent()) {
        return new StateStore(directory, memory, opened.get(), isNew);
      }
      moveAway(directory);
      Files.createDirectories(directory);
      return new StateStore(directory, memory, openDatabase(directory, memory), true);
    } catch (IOException | RocksDBException e) {
      memory.close();
      throw ErrorCode.STATE_UNUSABLE.because("cannot open " + directory).withCause(e);
    }
  }

  /** True when the store began empty: everything that it remembers has to be found again. */
  public boolean recreated() {
    return recreated;
  }

  public Path directory() {
    return directory;
  }

  public <K, V> Table<K, V> table(StateTable table, Codec<K> keys, Codec<V> values) {
    return new Table<>(this, table, keys, values);
  }

  public Optional<byte[]> get(StateTable table, byte[] key) {
    uses.begin();
    try {
      return Optional.ofNullable(database.get(family(table), key));
    } catch (RocksDBException e) {
      throw damaged(e);
    } finally {
      uses.end();
    }
  }

  /** Applies the batch atomically; it outlives this process, not yet the machine. */
  public void write(StateBatch batch) {
    write(batch, lazy);
  }

  /** Applies the batch atomically and returns when it is on disk. */
  public void writeDurably(StateBatch batch) {
    write(batch, synced);
  }

  <K, V> Cursor<K, V> scan(StateTable table, byte[] prefix, Codec<K> keys, Codec<V> values) {
    uses.begin();
    ReadOptions options = new ReadOptions();
    return new Cursor<>(
        uses, options, database.newIterator(family(table), options), prefix, keys, values);
  }

  /** Drops everything that the table holds. */
  public void clear(StateTable table) {
    uses.begin();
    try (WriteBatch writes = new WriteBatch()) {
      writes.deleteRange(family(table), new byte[0], ABOVE_ALL);
      database.write(lazy, writes);
    } catch (RocksDBException e) {
      throw damaged(e);
    } finally {
      uses.end();
    }
  }

  /** Waits for what is under way; whatever comes later is refused. */
  @Override
  public void close() {
    if (!uses.finish(PATIENCE)) {
      return;
    }
    families.values().forEach(ColumnFamilyHandle::close);
    database.close();
    lazy.close();
    synced.close();
    memory.close();
  }

  private void write(StateBatch batch, WriteOptions options) {
    uses.begin();
    try (WriteBatch writes = new WriteBatch()) {
      batch.addTo(writes, this::family);
      database.write(options, writes);
    } catch (RocksDBException e) {
      throw damaged(e);
    } finally {
      uses.end();
    }
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    java.util.Arrays.fill(bytes, (byte) 0xFF);
    return bytes;
  }

  private ColumnFamilyHandle family(StateTable table) {
    ColumnFamilyHandle family = families.get(table);
    if (family == null) {
      throw new IllegalStateException("no table " + table);
    }
    return family;
  }

  static ConcordException damaged(RocksDBException cause) {
    return ErrorCode.STATE_UNUSABLE.because("the state directory failed").withCause(cause);
  }

  /** Empty when the directory is damaged or of another format. */
  private static Optional<Opened> tryOpen(Path directory, RocksMemory memory) {
    try {
      Opened opened = openDatabase(directory, memory);
      if (hasFormat(opened)) {
        return Optional.of(opened);
      }
      opened.close();
      LOG.warn("state directory has another format, starting anew directory={}", directory);
    } catch (RocksDBException e) {
      refuseWhenLocked(directory, e);
      LOG.warn(
          "state directory is damaged, starting anew directory={} cause=\"{}\"",
          directory,
          e.getMessage());
    }
    return Optional.empty();
  }

  private static Opened openDatabase(Path directory, RocksMemory memory) throws RocksDBException {
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, memory.family));
    for (StateTable table : StateTable.values()) {
      descriptors.add(new ColumnFamilyDescriptor(table.familyName(), memory.family));
    }
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    RocksDB database = RocksDB.open(memory.database, directory.toString(), descriptors, handles);
    Map<StateTable, ColumnFamilyHandle> families = new EnumMap<>(StateTable.class);
    int next = 1;
    for (StateTable table : StateTable.values()) {
      families.put(table, handles.get(next++));
    }
    Opened opened = new Opened(database, families);
    stampWhenEmpty(opened);
    return opened;
  }

  private static void stampWhenEmpty(Opened opened) throws RocksDBException {
    ColumnFamilyHandle meta = metaOf(opened);
    if (opened.database.getLatestSequenceNumber() == 0) {
      opened.database.put(
          meta, FORMAT_KEY, ByteBuffer.allocate(Long.BYTES).putLong(FORMAT).array());
    }
  }

  private static boolean hasFormat(Opened opened) throws RocksDBException {
    byte[] stored = opened.database.get(metaOf(opened), FORMAT_KEY);
    return stored != null
        && stored.length == Long.BYTES
        && ByteBuffer.wrap(stored).getLong() == FORMAT;
  }

  private static ColumnFamilyHandle metaOf(Opened opened) {
    ColumnFamilyHandle meta = opened.families.get(StateTable.META);
    if (meta == null) {
      throw new IllegalStateException("no meta table");
    }
    return meta;
  }

  private static void refuseWhenLocked(Path directory, RocksDBException e) {
    Status status = e.getStatus();
    boolean ioError = status != null && status.getCode() == Status.Code.IOError;
    if (ioError && String.valueOf(e.getMessage()).contains("lock")) {
      throw ErrorCode.STATE_LOCKED
          .because(directory + " is in use by another process")
          .withCause(e);
    }
  }

  /** Keeps one damaged copy beside the directory for whoever wants to look at it. */
  private static void moveAway(Path directory) throws IOException {
    Path aside = directory.resolveSibling(directory.getFileName() + ".damaged");
    deleteTree(aside);
    Files.move(directory, aside);
  }

  private static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }
}
