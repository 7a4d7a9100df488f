package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/** Type oids of a statement's parameters, 0 where unknown. A value: equal by content. */
public final class ParameterTypes {
  public static final ParameterTypes NONE = new ParameterTypes(new int[0]);

  private final int[] oids;

  public ParameterTypes(int... oids) {
    this.oids = oids.clone();
  }

  /** From a ParameterDescription message. */
  public static ParameterTypes read(Frame frame) {
    ByteBuf body = frame.body();
    int[] oids = new int[body.readUnsignedShort()];
    for (int i = 0; i < oids.length; i++) {
      oids[i] = body.readInt();
    }
    return new ParameterTypes(oids);
  }

  /** Whether each of so many parameters has its type. */
  public boolean complete(int parameters) {
    for (int i = 0; i < parameters; i++) {
      if (oid(i) == 0) {
        return false;
      }
    }
    return true;
  }

  /** As a ParameterDescription message. */
  public Frame toFrame() {
    ByteBuf out = Unpooled.buffer(Frame.HEADER + Short.BYTES + Integer.BYTES * oids.length);
    out.writeByte(BackendType.PARAMETER_DESCRIPTION);
    out.writeInt(Integer.BYTES + Short.BYTES + Integer.BYTES * oids.length);
    out.writeShort(oids.length);
    for (int oid : oids) {
      out.writeInt(oid);
    }
    return Frame.of(out);
  }

  public int count() {
    return oids.length;
  }

  /** The oid of parameter {@code index} (from 0); 0 when not declared. */
  public int oid(int index) {
    return index < oids.length ? oids[index] : 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ParameterTypes types && Arrays.equals(oids, types.oids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(oids);
  }

  @Override
  public String toString() {
    return Arrays.toString(oids);
  }
}
