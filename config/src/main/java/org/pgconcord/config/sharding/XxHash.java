package org.pgconcord.config.sharding;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/** XXH3, 64 bits, seed 0 (the xxHash specification), of a byte string. */
public final class XxHash {
  private static final Hasher64 XXH3 = Hashing.xxh3_64();

  private XxHash() {}

  /** The digest as an unsigned number; {@code xxhsum -H3} prints the same in hexadecimal. */
  public static long hash64(byte[] bytes) {
    return XXH3.hashBytesToLong(bytes);
  }
}
