package org.pgconcord.config.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import org.pgconcord.config.value.GsiName;

/**
 * The number of the advisory lock that stands for one key of one GSI on an owner shard. It is
 * XXH3-64 over database, NUL, name, NUL and the key's canonical bytes: equal keys, equal lock, in
 * every process and version. Two keys that collide wait for each other and are otherwise unharmed.
 */
public final class KeyLock {
  private KeyLock() {}

  /** The argument of {@code pg_advisory_xact_lock(bigint)}. */
  public static long of(GsiName gsi, KeyType type, String keyText) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(gsi.database().getBytes(UTF_8));
    bytes.write(0);
    bytes.writeBytes(gsi.name().getBytes(UTF_8));
    bytes.write(0);
    bytes.writeBytes(ShardKeyEncoder.encode(type, keyText));
    return XxHash.hash64(bytes.toByteArray());
  }
}
