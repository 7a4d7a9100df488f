package org.pgconcord.config.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;

/**
 * The number of the advisory lock that stands for one key of one GSI on an owner shard. It is
 * XXH3-64 over database, NUL, name, NUL and the key's canonical bytes: equal keys, equal lock, in
 * every process and version. Two keys that collide wait for each other and are otherwise unharmed.
 */
public final class KeyLock {
  private KeyLock() {}

  /** The argument of {@code pg_advisory_xact_lock(bigint)}. */
  public static long of(GsiName gsi, List<KeyType> types, Tuple key) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(gsi.database().getBytes(UTF_8));
    bytes.write(0);
    bytes.writeBytes(gsi.name().getBytes(UTF_8));
    bytes.write(0);
    bytes.writeBytes(canonical(types, key));
    return XxHash.hash64(bytes.toByteArray());
  }

  /**
   * The bytes that are equal whenever PostgreSQL's {@code =} holds between two keys: the canonical
   * form of a lone value, or of several each with its length before it (four bytes, big-endian).
   *
   * @param types of the key's columns, in order
   */
  public static byte[] canonical(List<KeyType> types, Tuple key) {
    if (types.size() == 1) {
      return ShardKeyEncoder.encode(types.get(0), key.get(0));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int column = 0; column < types.size(); column++) {
      byte[] value = ShardKeyEncoder.encode(types.get(column), key.get(column));
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value.length).array());
      bytes.writeBytes(value);
    }
    return bytes.toByteArray();
  }
}
