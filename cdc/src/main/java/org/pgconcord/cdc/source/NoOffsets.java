package org.pgconcord.cdc.source;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * An offset store that forgets: it takes every offset and has none, so that Debezium always begins
 * at the slot. Storing is what makes it move the slot, therefore it has to succeed. Made by
 * Debezium from its class name, hence public.
 */
public final class NoOffsets implements OffsetBackingStore {
  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public Future<Map<ByteBuffer, @Nullable ByteBuffer>> get(Collection<ByteBuffer> keys) {
    Map<ByteBuffer, @Nullable ByteBuffer> none = new HashMap<>();
    keys.forEach(key -> none.put(key, null));
    return CompletableFuture.completedFuture(none);
  }

  @Override
  public Future<@Nullable Void> set(
      Map<ByteBuffer, ByteBuffer> values, @Nullable Callback<@Nullable Void> callback) {
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
