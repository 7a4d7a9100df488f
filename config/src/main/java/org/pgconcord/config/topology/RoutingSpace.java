package org.pgconcord.config.topology;

import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The routing values of one kind of shard index, and how the bounds of key ranges name them
 * (docs/routing.md). Each kind orders its values differently, so everything is compared by
 * <i>position</i>: a signed number that grows with the routing value.
 *
 * @param lowest the position of the first routing value
 * @param highest the position of the last one
 */
public record RoutingSpace(ShardIndexType type, long lowest, long highest) {
  private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{1,16}");
  private static final Pattern SIGNED = Pattern.compile("-?[0-9a-f]{1,16}");
  private static final int HASH_DIGITS = 16;

  /** What a bound can look like whatever the index is; the empty text is an open bound. */
  static final Pattern ANY_BOUND = Pattern.compile("-?[0-9a-f]{1,16}|");

  /** The values of an index: all hashes, all integers of 64 bits, or the buckets. */
  public static RoutingSpace of(ShardIndex index) {
    return index.type() == ShardIndexType.MODULO
        ? new RoutingSpace(index.type(), 0, index.modulus().orElse(1) - 1)
        : new RoutingSpace(index.type(), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** Hashes are unsigned, integers and buckets signed. */
  public long position(long routingValue) {
    return type == ShardIndexType.XXHASH ? routingValue + Long.MIN_VALUE : routingValue;
  }

  /** The position of the first value in a range; an open start is the lowest. */
  public long start(KeyRange range) {
    return range.start().isEmpty() ? lowest : position(range.start()).orElse(lowest);
  }

  /** The position behind a range; empty when its end is open. */
  Optional<Long> end(KeyRange range) {
    return range.end().isEmpty() ? Optional.empty() : position(range.end());
  }

  /** Whether a range holds a routing value. */
  public boolean holds(KeyRange range, long routingValue) {
    long position = position(routingValue);
    return start(range) <= position && end(range).map(end -> position < end).orElse(true);
  }

  /** Why a text in lower case cannot be a bound; empty when it can. */
  Optional<String> fault(String bound) {
    if (bound.isEmpty() || position(bound).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        switch (type) {
          case XXHASH -> "is not 1 to 16 hexadecimal digits";
          case RANGE -> "is not a hexadecimal integer of 64 bits, such as \"2a\" or \"-2a\"";
          case MODULO -> "is not the hexadecimal number of a bucket";
        });
  }

  private Optional<Long> position(String bound) {
    return switch (type) {
      case XXHASH ->
          DIGITS.matcher(bound).matches() ? Optional.of(prefix(bound)) : Optional.empty();
      case RANGE -> integer(SIGNED, bound);
      case MODULO -> integer(DIGITS, bound);
    };
  }

  /** Left-aligned: the hashes from {@code bound} followed by zeros. */
  private static long prefix(String bound) {
    String digits = (bound + "0".repeat(HASH_DIGITS)).substring(0, HASH_DIGITS);
    return Long.parseUnsignedLong(digits, 16) + Long.MIN_VALUE;
  }

  /** Right-aligned, with its sign; a number that no bigint has is no bound. */
  private static Optional<Long> integer(Pattern form, String bound) {
    if (!form.matcher(bound).matches()) {
      return Optional.empty();
    }
    BigInteger value = new BigInteger(bound, 16);
    return value.bitLength() < Long.SIZE ? Optional.of(value.longValue()) : Optional.empty();
  }
}
