package org.pgconcord.verifier.sum;

import java.math.BigInteger;

/**
 * A count and two sums of seeded 64-bit hashes: a homomorphism from multisets of entries to
 * integers. Sums are exact, not taken modulo 2^64, so nothing can wrap.
 */
public record Digest(long count, BigInteger first, BigInteger second) {
  public static final Digest EMPTY = new Digest(0, BigInteger.ZERO, BigInteger.ZERO);

  public Digest plus(Digest other) {
    return new Digest(count + other.count, first.add(other.first), second.add(other.second));
  }

  public Digest minus(Digest other) {
    return new Digest(
        count - other.count, first.subtract(other.first), second.subtract(other.second));
  }
}
