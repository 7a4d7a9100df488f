package org.pgconcord.cdc.source;

import io.debezium.data.Uuid;
import io.debezium.time.Date;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.ZonedTimestamp;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Schema;

/**
 * Turns Debezium's values back into the text that PostgreSQL itself would print under the pinned
 * settings (ISO dates, UTC, hex bytea). Only for the types that an index may use; for every other
 * schema there is no text, and the column counts as not known. An integration test sends the edges
 * of each type through a server and compares.
 */
final class ValueText {
  // How Debezium shows the infinities, which Java's types do not have.
  private static final long TIMESTAMP_INFINITY = 9223372036825200000L;
  private static final long TIMESTAMP_MINUS_INFINITY = -9223372036832400000L;
  private static final Map<String, String> NUMERIC_WORDS =
      Map.of(
          "NAN", "NaN",
          "POSITIVE_INFINITY", "Infinity",
          "NEGATIVE_INFINITY", "-Infinity");

  /**
   * PostgreSQL stores the infinities of a date as the extremes of 32 bits, counted from 2000.
   * Debezium counts from 1970, and wraps: both end below the first date.
   */
  private static final int DATE_INFINITY = -2_147_472_692;

  private static final int DATE_MINUS_INFINITY = -2_147_472_691;

  /** PostgreSQL's first date is 4714-11-24 BC; what else Debezium shows below it is no date. */
  private static final long FIRST_DATE = -2_440_588;

  private static final long FIRST_TIMESTAMP = FIRST_DATE * 86_400_000_000L;

  /** PostgreSQL's largest declared scale. Debezium shows a negative one as 2048 less it. */
  private static final int LARGEST_SCALE = 1_000;

  private ValueText() {}

  /** The text of a value that is not null; empty for a type that we do not read. */
  static Optional<String> of(Schema schema, Object value) {
    String name = schema.name();
    if (name == null) {
      return plain(schema, value);
    }
    return switch (name) {
      case Uuid.LOGICAL_NAME -> Optional.of((String) value);
      case Date.SCHEMA_NAME -> date((Integer) value);
      case MicroTimestamp.SCHEMA_NAME -> timestamp((Long) value);
      case ZonedTimestamp.SCHEMA_NAME -> Optional.of(timestampWithZone((String) value));
      default -> Optional.empty();
    };
  }

  private static Optional<String> plain(Schema schema, Object value) {
    return switch (schema.type()) {
      case INT16, INT32, INT64 -> Optional.of(value.toString());
      case STRING -> Optional.of((String) value);
      case BYTES -> value instanceof BigDecimal ? Optional.empty() : Optional.of(bytes(value));
      default -> Optional.empty();
    };
  }

  /** The text of a {@code numeric}, which arrives as a string like other texts. */
  static Optional<String> numeric(String value) {
    int point = value.indexOf('.');
    return point >= 0 && value.length() - point > LARGEST_SCALE + 1
        ? Optional.empty()
        : Optional.of(NUMERIC_WORDS.getOrDefault(value, value));
  }

  private static String bytes(Object value) {
    return "\\x" + HexFormat.of().formatHex(array(value));
  }

  static byte[] array(Object value) {
    if (value instanceof byte[] array) {
      return array;
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] array = new byte[buffer.remaining()];
    buffer.get(array);
    return array;
  }

  private static Optional<String> date(int epochDay) {
    if (epochDay == DATE_INFINITY) {
      return Optional.of("infinity");
    }
    if (epochDay == DATE_MINUS_INFINITY) {
      return Optional.of("-infinity");
    }
    if (epochDay < FIRST_DATE) {
      return Optional.empty();
    }
    LocalDate date = LocalDate.ofEpochDay(epochDay);
    return Optional.of(day(date) + era(date));
  }

  /**
   * Debezium's 64 bits wrap in the year 294247; what falls below the first date is not readable.
   */
  private static Optional<String> timestamp(long micros) {
    if (micros == TIMESTAMP_INFINITY) {
      return Optional.of("infinity");
    }
    if (micros == TIMESTAMP_MINUS_INFINITY) {
      return Optional.of("-infinity");
    }
    if (micros < FIRST_TIMESTAMP) {
      return Optional.empty();
    }
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    return Optional.of(day(time.toLocalDate()) + clock(time) + era(time.toLocalDate()));
  }

  private static String timestampWithZone(String iso) {
    if (iso.endsWith("infinity")) {
      return iso;
    }
    LocalDateTime time =
        OffsetDateTime.parse(iso).withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
    return day(time.toLocalDate()) + clock(time) + "+00" + era(time.toLocalDate());
  }

  private static String day(LocalDate date) {
    int year = date.getYear() > 0 ? date.getYear() : 1 - date.getYear();
    return pad(year, 4) + "-" + pad(date.getMonthValue(), 2) + "-" + pad(date.getDayOfMonth(), 2);
  }

  private static String era(LocalDate date) {
    return date.getYear() > 0 ? "" : " BC";
  }

  private static String clock(LocalDateTime time) {
    String text =
        " "
            + pad(time.getHour(), 2)
            + ":"
            + pad(time.getMinute(), 2)
            + ":"
            + pad(time.getSecond(), 2);
    int micros = time.getNano() / 1_000;
    if (micros == 0) {
      return text;
    }
    String fraction = pad(micros, 6);
    int end = fraction.length();
    while (fraction.charAt(end - 1) == '0') {
      end--;
    }
    return text + "." + fraction.substring(0, end);
  }

  private static String pad(int number, int width) {
    String digits = Integer.toString(number);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }
}
