package org.pgconcord.router.exec;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.router.plan.GatheredType;
import org.pgconcord.router.wire.BinaryArray;

/**
 * The values of one fetched column from all shards, as the array that the finishing shard is given:
 * a binary one, or the text of an array of texts.
 */
final class GatheredColumn {
  private final GatheredType type;
  private final BinaryArray values;
  private final StringBuilder texts = new StringBuilder("{");

  GatheredColumn(GatheredType type) {
    this.type = type;
    this.values = new BinaryArray(type.oid());
  }

  GatheredType type() {
    return type;
  }

  void add(byte @Nullable [] value) {
    if (type.binary()) {
      values.add(value);
    } else {
      texts.append(texts.length() == 1 ? "" : ",");
      ArrayText.append(texts, value == null ? null : new String(value, StandardCharsets.UTF_8));
    }
  }

  /** The array as a parameter's value. */
  byte[] array() {
    return type.binary()
        ? values.bytes()
        : texts.append('}').toString().getBytes(StandardCharsets.UTF_8);
  }
}
