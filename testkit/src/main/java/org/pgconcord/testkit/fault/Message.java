package org.pgconcord.testkit.fault;

import java.nio.charset.StandardCharsets;

/**
 * One protocol message, whole. Source: PostgreSQL, "Message Formats".
 *
 * <p>The messages that open a connection carry no type byte; they get a kind of ours.
 */
public final class Message {
  /** StartupMessage: names user, database and settings. */
  public static final char STARTUP = '^';

  /** SSLRequest or GSSENCRequest. */
  public static final char ENCRYPTION = '?';

  /** CancelRequest, alone on a connection of its own. */
  public static final char CANCEL = '!';

  private final Direction direction;
  private final char kind;
  private final byte[] bytes;

  Message(Direction direction, char kind, byte[] bytes) {
    this.direction = direction;
    this.kind = kind;
    this.bytes = bytes;
  }

  public Direction direction() {
    return direction;
  }

  /** PostgreSQL's type byte, or one of the three above. */
  public char kind() {
    return kind;
  }

  /** As they travel, type byte and length included; not copied. */
  byte[] bytes() {
    return bytes;
  }

  boolean contains(String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
  }

  public int length() {
    return bytes.length;
  }

  @Override
  public String toString() {
    return (direction == Direction.TO_SERVER ? "> " : "< ") + kind;
  }
}
