package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Makes an array of one dimension in PostgreSQL's binary format ({@code array_recv}): number of
 * dimensions, whether there are NULLs, the elements' type oid, length and lower bound of the
 * dimension, then each element as its own binary format has it.
 */
public final class BinaryArray {
  private static final int HEADER = 5 * Integer.BYTES;

  private final int elementOid;
  private final ByteBuf elements = Unpooled.buffer();
  private boolean anyNull;
  private int count;

  public BinaryArray(int elementOid) {
    this.elementOid = elementOid;
  }

  /** Adds an element; {@code null} for NULL. */
  public void add(byte @Nullable [] value) {
    if (value == null) {
      anyNull = true;
      elements.writeInt(-1);
    } else {
      elements.writeInt(value.length).writeBytes(value);
    }
    count++;
  }

  public byte[] bytes() {
    ByteBuf header = Unpooled.buffer(HEADER);
    header.writeInt(count == 0 ? 0 : 1).writeInt(anyNull ? 1 : 0).writeInt(elementOid);
    if (count > 0) {
      header.writeInt(count).writeInt(1);
    }
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(header, elements));
  }
}
