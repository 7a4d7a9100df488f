package org.pgconcord.config.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

/**
 * The canonical bytes of a key (docs/routing.md). The one law: if PostgreSQL's {@code =} holds
 * between two values of a kind, their bytes are equal; so they hash alike, live on one shard, and
 * take the same key lock. The forms never change once rows are placed by them.
 */
public final class ShardKeyEncoder {
  private ShardKeyEncoder() {}

  /**
   * Encodes one value.
   *
   * @param pgText the value as PostgreSQL prints it under the pinned settings ({@code
   *     DateStyle=ISO, TimeZone=UTC, extra_float_digits=1, bytea_output=hex}); other spellings of
   *     the input syntax are read too where they need no session setting to be understood
   * @throws ConcordException ({@code routing/not-of-type}) for a text that is not of the type
   */
  public static byte[] encode(KeyType type, String pgText) {
    try {
      return switch (type) {
        case INT -> int64(Long.parseLong(pgText.trim()));
        case TEXT, ENUM -> pgText.getBytes(UTF_8);
        case BPCHAR -> withoutTrailingBlanks(pgText).getBytes(UTF_8);
        case UUID -> ByteText.uuid(pgText);
        case BYTEA -> ByteText.bytea(pgText);
        case FLOAT4 -> float64(PgFloat.float4(pgText));
        case FLOAT8 -> float64(PgFloat.float8(pgText));
        case NUMERIC -> numeric(pgText.trim()).getBytes(UTF_8);
        case DATE -> int64(PgDateTime.days(pgText));
        case TIMESTAMP -> int64(PgDateTime.localMicros(pgText));
        case TIMESTAMPTZ -> int64(PgDateTime.instantMicros(pgText));
      };
    } catch (IllegalArgumentException | ArithmeticException | java.time.DateTimeException e) {
      throw notOfType(type).withCause(e);
    }
  }

  /**
   * Encodes a key. One column's bytes stand for themselves; those of several are each preceded by
   * their number as 4 bytes, big-endian, so that no two keys run into one another.
   *
   * @param pgTexts one for each type
   * @throws ConcordException as for one value
   */
  public static byte[] encode(List<KeyType> types, List<String> pgTexts) {
    if (types.size() != pgTexts.size()) {
      throw new IllegalArgumentException(
          pgTexts.size() + " values for a key of " + types.size() + " columns");
    }
    if (types.size() == 1) {
      return encode(types.get(0), pgTexts.get(0));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < types.size(); i++) {
      byte[] one = encode(types.get(i), pgTexts.get(i));
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(one.length).array());
      bytes.writeBytes(one);
    }
    return bytes.toByteArray();
  }

  /** The number that a text of type {@link KeyType#INT} stands for. */
  public static long integer(String pgText) {
    return ByteBuffer.wrap(encode(KeyType.INT, pgText)).getLong();
  }

  /** {@code char(n)} compares without its trailing blanks: U+0020 only, as in bpchareq. */
  static String withoutTrailingBlanks(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** The text of {@code trim_scale(value)}: no exponent, no trailing zeros, no negative zero. */
  static String numeric(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> "NaN";
      case "infinity", "+infinity", "inf", "+inf" -> "Infinity";
      case "-infinity", "-inf" -> "-Infinity";
      default -> plain(new BigDecimal(text));
    };
  }

  private static String plain(BigDecimal value) {
    BigDecimal trimmed = value.stripTrailingZeros();
    if (trimmed.precision() - (long) trimmed.scale() > MAX_DIGITS || trimmed.scale() > MAX_DIGITS) {
      throw new NumberFormatException("more digits than a numeric can have");
    }
    return trimmed.toPlainString();
  }

  /** PostgreSQL's limit before the decimal point (131072), used as a bound on both sides. */
  private static final long MAX_DIGITS = 131_072;

  private static byte[] int64(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** Both zeros are one value and so are all NaNs; a float4 counts as the float8 of its value. */
  private static byte[] float64(double value) {
    return int64(value == 0.0 ? 0L : Double.doubleToLongBits(value));
  }

  private static ConcordException notOfType(KeyType type) {
    return ErrorCode.ROUTING_NOT_OF_TYPE.because("a key is not a valid value of type " + type);
  }
}
