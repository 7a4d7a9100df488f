package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Bytes of messages for tests. */
public final class FrameBytes {
  private FrameBytes() {}

  /** ParameterDescription without parameters. */
  public static ByteBuf parameterDescription() {
    return Unpooled.buffer().writeByte('t').writeInt(6).writeShort(0);
  }

  /** A message with this body. */
  public static ByteBuf message(char type, byte[] body) {
    return Unpooled.buffer().writeByte(type).writeInt(body.length + 4).writeBytes(body);
  }

  /** A startup packet with this code and rest. */
  public static ByteBuf packet(int code, byte[] rest) {
    return Unpooled.buffer().writeInt(rest.length + 8).writeInt(code).writeBytes(rest);
  }

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
