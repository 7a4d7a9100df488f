package org.pgconcord.cdc.source;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * An offset store that is empty whenever an engine starts, so that Debezium begins at the slot. It
 * remembers what is set during that engine's life and no longer: the connector reads the offset
 * back from here to learn how far to move the slot. Made by Debezium from its class name, one for
 * each engine, hence public.
 */
public final class RunOffsets implements OffsetBackingStore {
  private final Map<ByteBuffer, ByteBuffer> offsets = new ConcurrentHashMap<>();

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Future<Map<ByteBuffer, @Nullable ByteBuffer>> get(Collection<ByteBuffer> keys) {
    Map<ByteBuffer, @Nullable ByteBuffer> found = new HashMap<>();
    for (ByteBuffer key : keys) {
      ByteBuffer offset = offsets.get(key);
      found.put(key, offset == null ? null : offset.duplicate());
    }
    return CompletableFuture.completedFuture(found);
  }

  @Override
  public Future<@Nullable Void> set(
      Map<ByteBuffer, ByteBuffer> values, @Nullable Callback<@Nullable Void> callback) {
    offsets.putAll(values);
    if (callback != null) {
      callback.onCompletion(null, null);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public Set<Map<String, Object>> connectorPartitions(String connectorName) {
    return Set.of();
  }

  @Override
  public void configure(WorkerConfig config) {}
}
