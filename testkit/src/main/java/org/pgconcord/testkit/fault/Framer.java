package org.pgconcord.testkit.fault;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts one direction's bytes into messages, however they arrive. What a client sends begins without
 * type bytes, until its StartupMessage; what a server sends is typed from the start, as long as
 * nobody asks it for encryption.
 */
final class Framer {
  /** Longer ones are not from a test of ours. */
  static final int LONGEST = 64 << 20;

  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int CANCEL_REQUEST = 80877102;
  private static final int LENGTH_BYTES = 4;

  private final Direction direction;
  private boolean typed;
  private byte[] pending = new byte[0];

  Framer(Direction direction) {
    this.direction = direction;
    this.typed = direction == Direction.TO_CLIENT;
  }

  /**
   * Adds {@code count} bytes and returns the messages that are whole now.
   *
   * @throws IllegalArgumentException when the bytes cannot be PostgreSQL's protocol
   */
  List<Message> push(byte[] bytes, int count) {
    byte[] all = Arrays.copyOf(pending, pending.length + count);
    System.arraycopy(bytes, 0, all, pending.length, count);
    List<Message> whole = new ArrayList<>();
    int start = 0;
    for (int end = end(all, start); end >= 0; end = end(all, start)) {
      whole.add(message(Arrays.copyOfRange(all, start, end)));
      start = end;
    }
    pending = Arrays.copyOfRange(all, start, all.length);
    return whole;
  }

  /** Bytes of a message that has not arrived whole. */
  byte[] rest() {
    return pending;
  }

  /** Where the message that begins at {@code start} ends; negative when it is not all there. */
  private int end(byte[] all, int start) {
    int header = typed ? 1 : 0;
    if (all.length - start < header + LENGTH_BYTES) {
      return -1;
    }
    int length = ByteBuffer.wrap(all).getInt(start + header);
    if (length < LENGTH_BYTES || length > LONGEST || (!typed && length < 2 * LENGTH_BYTES)) {
      throw new IllegalArgumentException("a message of length " + length);
    }
    int end = start + header + length;
    return end <= all.length ? end : -1;
  }

  private Message message(byte[] bytes) {
    if (typed) {
      return new Message(direction, (char) (bytes[0] & 0xFF), bytes);
    }
    int code = ByteBuffer.wrap(bytes).getInt(LENGTH_BYTES);
    if (code == SSL_REQUEST || code == GSS_REQUEST) {
      return new Message(direction, Message.ENCRYPTION, bytes);
    }
    if (code == CANCEL_REQUEST) {
      return new Message(direction, Message.CANCEL, bytes);
    }
    typed = true;
    return new Message(direction, Message.STARTUP, bytes);
  }
}
