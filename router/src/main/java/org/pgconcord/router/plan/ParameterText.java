package org.pgconcord.router.plan;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.pgconcord.config.sharding.KeyType;

/**
 * A parameter as PostgreSQL would print it. Binary forms are those of the types' send functions
 * ({@code src/backend/utils/adt}); the types are those that a key can have.
 */
public final class ParameterText {
  private static final long POSTGRES_EPOCH_SECONDS = 946_684_800L;
  private static final long POSTGRES_EPOCH_DAYS = 10_957L;
  private static final long MICROS = 1_000_000L;

  private ParameterText() {}

  /**
   * The text of a value that is not NULL; empty for a binary form that is not known here.
   *
   * @param typeOid the type to read it as
   */
  public static Optional<String> of(ParameterValue value, int typeOid) {
    byte[] bytes = value.bytes();
    if (bytes == null) {
      return Optional.empty();
    }
    if (!value.binary()) {
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
    return KeyType.of(typeOid).flatMap(type -> binary(type, bytes));
  }

  private static Optional<String> binary(KeyType type, byte[] bytes) {
    return switch (type) {
      case INT -> integer(bytes);
      case TEXT, BPCHAR, ENUM -> Optional.of(new String(bytes, StandardCharsets.UTF_8));
      case UUID -> sized(bytes, 16).map(ParameterText::uuid);
      case BYTEA -> Optional.of("\\x" + HexFormat.of().formatHex(bytes));
      case FLOAT4 -> sized(bytes, 4).map(b -> Float.toString(b.getFloat()));
      case FLOAT8 -> sized(bytes, 8).map(b -> Double.toString(b.getDouble()));
      case DATE -> sized(bytes, 4).flatMap(b -> date(b.getInt()));
      case TIMESTAMP -> sized(bytes, 8).flatMap(b -> timestamp(b.getLong(), ""));
      case TIMESTAMPTZ -> sized(bytes, 8).flatMap(b -> timestamp(b.getLong(), "+00"));
      case NUMERIC -> bytes.length < 8 ? Optional.empty() : numeric(ByteBuffer.wrap(bytes));
    };
  }

  private static Optional<ByteBuffer> sized(byte[] bytes, int size) {
    return bytes.length == size ? Optional.of(ByteBuffer.wrap(bytes)) : Optional.empty();
  }

  /** The width tells the type where the client declared none. */
  private static Optional<String> integer(byte[] bytes) {
    return bytes.length == 2 || bytes.length == 4 || bytes.length == 8
        ? Optional.of(new BigInteger(bytes).toString())
        : Optional.empty();
  }

  private static String uuid(ByteBuffer bytes) {
    return new UUID(bytes.getLong(), bytes.getLong()).toString();
  }

  private static Optional<String> date(int days) {
    if (days == Integer.MAX_VALUE || days == Integer.MIN_VALUE) {
      return Optional.of(days > 0 ? "infinity" : "-infinity");
    }
    LocalDate date = LocalDate.ofEpochDay(days + POSTGRES_EPOCH_DAYS);
    return date.getYear() < 1 || date.getYear() > 9999
        ? Optional.empty()
        : Optional.of(date.toString());
  }

  private static Optional<String> timestamp(long micros, String zone) {
    if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
      return Optional.of(micros > 0 ? "infinity" : "-infinity");
    }
    long second = Math.floorDiv(micros, MICROS);
    long fraction = Math.floorMod(micros, MICROS);
    var time = Instant.ofEpochSecond(second + POSTGRES_EPOCH_SECONDS).atOffset(ZoneOffset.UTC);
    if (time.getYear() < 1 || time.getYear() > 9999) {
      return Optional.empty();
    }
    String clock =
        "%s %02d:%02d:%02d"
            .formatted(time.toLocalDate(), time.getHour(), time.getMinute(), time.getSecond());
    return Optional.of(clock + (fraction == 0 ? "" : ".%06d".formatted(fraction)) + zone);
  }

  /** Groups of four decimal digits with the weight of the first (numeric_send). */
  private static Optional<String> numeric(ByteBuffer in) {
    int groups = in.getShort();
    int weight = in.getShort();
    int sign = in.getShort() & 0xFFFF;
    int scale = in.getShort();
    if (sign != 0 && sign != 0x4000) {
      return Optional.of(sign == 0xC000 ? "NaN" : sign == 0xD000 ? "Infinity" : "-Infinity");
    }
    if (groups < 0 || in.remaining() != groups * 2) {
      return Optional.empty();
    }
    BigInteger unscaled = BigInteger.ZERO;
    for (int i = 0; i < groups; i++) {
      unscaled =
          unscaled.multiply(BigInteger.valueOf(10_000)).add(BigInteger.valueOf(in.getShort()));
    }
    int exponent = (weight - groups + 1) * 4;
    var value = new java.math.BigDecimal(unscaled).scaleByPowerOfTen(exponent);
    if (value.scale() < 0 || value.scale() > scale) {
      value = value.setScale(Math.max(scale, 0), java.math.RoundingMode.DOWN);
    }
    return Optional.of((sign == 0x4000 ? value.negate() : value).toPlainString());
  }
}
