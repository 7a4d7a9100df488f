package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Opens CopyData messages, for the paths that cannot pass them on unread. */
public final class CopyBytes {
  private static final int BEFORE_EXTENSION = 19;

  private CopyBytes() {}

  /** The data of one message. */
  public static byte[] of(Frame copyData) {
    ByteBuf body = copyData.body();
    byte[] bytes = new byte[body.readableBytes()];
    body.readBytes(bytes);
    return bytes;
  }

  /** The length of the signature, flags and extension with which a binary COPY begins. */
  public static int headerLength(byte[] first) {
    return first.length < BEFORE_EXTENSION
        ? first.length
        : BEFORE_EXTENSION
            + java.nio.ByteBuffer.wrap(first).getInt(BEFORE_EXTENSION - Integer.BYTES);
  }

  /** Both, one behind the other. */
  public static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** The trailer of a binary COPY. */
  public static boolean isTrailer(byte[] bytes, int from) {
    return bytes.length - from == 2 && bytes[from] == -1 && bytes[from + 1] == -1;
  }
}
