package org.pgconcord.router.exec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.router.plan.GatheredType;

/**
 * The values of one fetched column from all shards, as the array that the finishing shard is given:
 * in PostgreSQL's binary format of one-dimensional arrays ({@code array_recv}), or as the text of
 * an array of texts.
 */
final class GatheredColumn {
  private static final int DIMENSIONS = 1;
  private static final int HEADER = 5 * Integer.BYTES;

  private final GatheredType type;
  private final ByteBuf values = Unpooled.buffer();
  private final StringBuilder texts = new StringBuilder("{");
  private boolean anyNull;
  private int count;

  GatheredColumn(GatheredType type) {
    this.type = type;
  }

  GatheredType type() {
    return type;
  }

  void add(byte @Nullable [] value) {
    if (!type.binary()) {
      texts.append(count == 0 ? "" : ",");
      ArrayText.append(texts, value == null ? null : new String(value, StandardCharsets.UTF_8));
    } else if (value == null) {
      anyNull = true;
      values.writeInt(-1);
    } else {
      values.writeInt(value.length).writeBytes(value);
    }
    count++;
  }

  /** The array as a parameter's value. */
  byte[] array() {
    if (!type.binary()) {
      return texts.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }
    ByteBuf header = Unpooled.buffer(HEADER);
    header.writeInt(count == 0 ? 0 : DIMENSIONS).writeInt(anyNull ? 1 : 0).writeInt(type.oid());
    if (count > 0) {
      header.writeInt(count).writeInt(1);
    }
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(header, values));
  }
}
