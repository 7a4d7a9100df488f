package org.pgconcord.state.store;

import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionPriority;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RateLimiter;
import org.rocksdb.WriteBufferManager;

/**
 * The native objects that bound what RocksDB takes outside the heap: one block cache for all tables
 * (indexes and filters in it), one budget for all write buffers, charged to that cache. At most
 * about 64 MB in all, whatever the size of the data.
 */
final class RocksMemory implements AutoCloseable {
  private static final long CACHE_BYTES = 24L << 20;
  private static final long WRITE_BUFFERS_BYTES = 16L << 20;
  private static final long WRITE_BUFFER_BYTES = 4L << 20;
  private static final int OPEN_FILES = 128;

  private final Cache cache = new LRUCache(CACHE_BYTES);
  private final WriteBufferManager writeBuffers =
      new WriteBufferManager(WRITE_BUFFERS_BYTES, cache);
  private final BloomFilter filter = new BloomFilter(10);
  private final RateLimiter background = new RateLimiter(64L << 20);
  final DBOptions database;
  final ColumnFamilyOptions family;

  RocksMemory() {
    database =
        new DBOptions()
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setParanoidChecks(true)
            .setWriteBufferManager(writeBuffers)
            .setRateLimiter(background)
            .setEnv(Env.getDefault())
            .setMaxOpenFiles(OPEN_FILES)
            .setMaxBackgroundJobs(2)
            .setMaxTotalWalSize(32L << 20)
            .setKeepLogFileNum(2)
            .setMaxLogFileSize(1L << 20)
            .setStatsDumpPeriodSec(0)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL);
    family =
        new ColumnFamilyOptions()
            .setWriteBufferSize(WRITE_BUFFER_BYTES)
            .setMaxWriteBufferNumber(2)
            .setTargetFileSizeBase(16L << 20)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setCompactionPriority(CompactionPriority.MinOverlappingRatio)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setCacheIndexAndFilterBlocks(true)
                    .setFilterPolicy(filter)
                    .setBlockSize(16 << 10));
  }

  @Override
  public void close() {
    for (AutoCloseable object :
        List.<AutoCloseable>of(family, database, background, writeBuffers, filter, cache)) {
      try {
        object.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
