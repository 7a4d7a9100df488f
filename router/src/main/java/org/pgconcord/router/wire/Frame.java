package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One protocol message with its header (type, length, body), or several DataRow messages back to
 * back. The bytes are shared, not copied: a frame is valid during the call that hands it over;
 * whoever keeps it longer calls {@link #retain} and later {@link #release}.
 *
 * <p>Readers never move the buffer's own indexes, so a frame can be read and still be sent on.
 */
public final class Frame {
  /** Type byte and length word. */
  public static final int HEADER = 5;

  private final byte type;
  private final int count;
  private final ByteBuf bytes;

  private Frame(byte type, int count, ByteBuf bytes) {
    this.type = type;
    this.count = count;
    this.bytes = bytes;
  }

  /** One whole message; its first byte is the type. */
  public static Frame of(ByteBuf bytes) {
    return new Frame(bytes.getByte(bytes.readerIndex()), 1, bytes);
  }

  /** {@code count} whole DataRow messages. */
  public static Frame rows(ByteBuf bytes, int count) {
    return new Frame(BackendType.DATA_ROW, count, bytes);
  }

  public byte type() {
    return type;
  }

  /** Messages in here: 1, but for a run of data rows. */
  public int count() {
    return count;
  }

  public int length() {
    return bytes.readableBytes();
  }

  /** The bytes, header included. Only {@code wire}, {@code session} and {@code backend} ask. */
  public ByteBuf bytes() {
    return bytes;
  }

  /** The body of a single message: a view that shares the bytes and has its own indexes. */
  public ByteBuf body() {
    return bytes.slice(bytes.readerIndex() + HEADER, bytes.readableBytes() - HEADER);
  }

  /** The same of its own bytes, which need no release. */
  public Frame copy() {
    return new Frame(type, count, Unpooled.copiedBuffer(bytes));
  }

  public Frame retain() {
    bytes.retain();
    return this;
  }

  public void release() {
    bytes.release();
  }

  @Override
  public String toString() {
    return "Frame[" + (char) type + " x" + count + ", " + length() + " bytes]";
  }
}
