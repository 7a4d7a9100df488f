package org.pgconcord.verifier.sum;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.pgconcord.config.sharding.XxHash;

/** Adds hashes of texts, each hashed with one of two seeds in front. */
final class SeededSum {
  private final long firstSeed;
  private final long secondSeed;
  private long count;
  private BigInteger first = BigInteger.ZERO;
  private BigInteger second = BigInteger.ZERO;

  SeededSum(long firstSeed, long secondSeed) {
    this.firstSeed = firstSeed;
    this.secondSeed = secondSeed;
  }

  void add(byte[] text) {
    count++;
    first = first.add(BigInteger.valueOf(hash(firstSeed, text)));
    second = second.add(BigInteger.valueOf(hash(secondSeed, text)));
  }

  Digest digest() {
    return new Digest(count, first, second);
  }

  private static long hash(long seed, byte[] text) {
    return XxHash.hash64(ByteBuffer.allocate(8 + text.length).putLong(seed).put(text).array());
  }
}
