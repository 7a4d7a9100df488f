package org.pgconcord.testkit.fault;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Messages as a client or server writes them. */
final class Bytes {
  static final byte[] SSL_REQUEST = ByteBuffer.allocate(8).putInt(8).putInt(80877103).array();
  static final byte[] CANCEL_REQUEST =
      ByteBuffer.allocate(16).putInt(16).putInt(80877102).putInt(7).putInt(8).array();

  private static final int VERSION_3 = 3 << 16;

  private Bytes() {}

  static byte[] startup(String... parameters) {
    byte[] text = (String.join("\0", parameters) + "\0\0").getBytes(StandardCharsets.UTF_8);
    int length = 8 + text.length;
    return ByteBuffer.allocate(length).putInt(length).putInt(VERSION_3).put(text).array();
  }

  static byte[] message(char kind, String body) {
    byte[] text = body.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + text.length)
        .put((byte) kind)
        .putInt(4 + text.length)
        .put(text)
        .array();
  }
}
