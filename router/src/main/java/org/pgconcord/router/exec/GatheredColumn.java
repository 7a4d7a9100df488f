package org.pgconcord.router.exec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.router.plan.GatheredType;
import org.pgconcord.router.wire.BinaryArray;

/**
 * The values of one fetched column from all shards, as the array that the finishing shard is given:
 * a binary one, or the text of an array of texts. Values that are arrays themselves are one array
 * end to end, beside two of the places where each begins and ends: NULL for NULL, and an end before
 * its beginning for an array without elements, which is what PostgreSQL makes of such a slice.
 */
final class GatheredColumn {
  private static final int INT4 = 23;

  private final GatheredType type;
  private final BinaryArray values;
  private final BinaryArray begins = new BinaryArray(INT4);
  private final BinaryArray ends = new BinaryArray(INT4);
  private final StringBuilder texts = new StringBuilder("{");
  private int elements;
  private @Nullable Map<ByteBuffer, byte[]> kept;
  private int mostKept;

  GatheredColumn(GatheredType type) {
    this.type = type;
    this.values = new BinaryArray(type.element() == 0 ? type.oid() : type.element());
  }

  /** The same without values. */
  GatheredColumn emptied() {
    GatheredColumn empty = new GatheredColumn(type);
    if (kept != null) {
      empty.keep(mostKept);
    }
    return empty;
  }

  GatheredType type() {
    return type;
  }

  void add(byte @Nullable [] value) {
    if (kept != null && value != null && kept.size() <= mostKept) {
      kept.putIfAbsent(ByteBuffer.wrap(value), value);
    }
    if (type.element() != 0) {
      addElements(value);
    } else if (type.binary()) {
      values.add(value);
    } else {
      texts.append(texts.length() == 1 ? "" : ",");
      ArrayText.append(texts, value == null ? null : new String(value, StandardCharsets.UTF_8));
    }
  }

  /** As array_send writes it. */
  private void addElements(byte @Nullable [] array) {
    if (array == null) {
      begins.add(null);
      ends.add(null);
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(array);
    int dimensions = in.getInt();
    in.getInt();
    int element = in.getInt();
    int count = dimensions == 1 ? in.getInt() : 0;
    boolean plain = dimensions == 0 || (dimensions == 1 && in.getInt() == 1);
    if (!plain || element != type.element()) {
      throw ErrorCode.QUERY_NEEDS_MERGE.because(
          "arrays of several dimensions, or with other bounds, of a type that is printed by a"
              + " session's settings are not gathered from shards");
    }
    begins.add(bytes(elements + 1));
    for (int i = 0; i < count; i++) {
      int length = in.getInt();
      byte[] each = length < 0 ? null : new byte[length];
      if (each != null) {
        in.get(each);
      }
      values.add(each);
    }
    elements += count;
    ends.add(bytes(elements));
  }

  private static byte[] bytes(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Keeps distinct values from now on, up to one more than {@code most}. */
  void keep(int most) {
    kept = new LinkedHashMap<>();
    mostKept = most;
  }

  /** The distinct values but NULL, as an array; empty where there are too many. */
  Optional<byte[]> distinct() {
    if (kept == null || kept.size() > mostKept) {
      return Optional.empty();
    }
    BinaryArray array = new BinaryArray(type.oid());
    kept.values().forEach(array::add);
    return Optional.of(array.bytes());
  }

  /** The same as texts; of integers, texts and uuids. */
  Optional<List<String>> distinctTexts() {
    return kept == null || kept.size() > mostKept
        ? Optional.empty()
        : Optional.of(kept.values().stream().map(this::text).toList());
  }

  private String text(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    return switch (type.oid()) {
      case 20 -> Long.toString(in.getLong());
      case 21 -> Short.toString(in.getShort());
      case 23 -> Integer.toString(in.getInt());
      case 25, 1043 -> new String(value, StandardCharsets.UTF_8);
      case 2950 -> new UUID(in.getLong(), in.getLong()).toString();
      default -> throw ErrorCode.INTERNAL.because("a key of this type leads to no shard");
    };
  }

  /** The parameters that stand for the column, in order. */
  List<byte[]> arrays() {
    if (type.element() != 0) {
      return List.of(values.bytes(), begins.bytes(), ends.bytes());
    }
    return List.of(
        type.binary()
            ? values.bytes()
            : texts.append('}').toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * What is unnested for the column.
   *
   * @param first the number of the first of its parameters
   */
  List<String> unnested(int first) {
    return type.element() == 0
        ? List.of("$%d::%s[]".formatted(first, type.name()))
        : List.of(
            "$%d::pg_catalog.int4[]".formatted(first + 1),
            "$%d::pg_catalog.int4[]".formatted(first + 2));
  }

  /** The value in a row, of whose columns the first that is this one's has this name. */
  String value(int first, String name) {
    return type.element() == 0
        ? name
        : "(CASE WHEN %1$s IS NULL THEN NULL ELSE ($%2$d::%3$s[])[%1$s:%1$s_end] END)"
            .formatted(name, first, type.name());
  }
}
