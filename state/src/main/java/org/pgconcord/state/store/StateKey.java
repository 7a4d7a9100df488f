package org.pgconcord.state.store;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds keys of several parts whose byte order is the order of the parts: numbers as eight bytes
 * big-endian (unsigned order), texts as UTF-8 with a closing zero byte, which PostgreSQL's own
 * texts never hold. The bytes of the first parts are the prefix that a scan takes.
 */
public final class StateKey {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(48);

  private StateKey() {}

  public static StateKey of(String first) {
    return new StateKey().text(first);
  }

  public StateKey text(String part) {
    if (part.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a key part has a zero character");
    }
    bytes.writeBytes(part.getBytes(StandardCharsets.UTF_8));
    bytes.write(0);
    return this;
  }

  public StateKey number(long part) {
    bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(part).array());
    return this;
  }

  public byte[] bytes() {
    return bytes.toByteArray();
  }
}
