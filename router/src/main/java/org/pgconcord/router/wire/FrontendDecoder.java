package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;

/**
 * Cuts what a client sends into {@link StartupPacket}s and then {@link Frame}s. Type and length are
 * judged before anything is buffered for them, lengths as unsigned numbers; before login the limit
 * is small. The receiver releases each frame.
 */
public final class FrontendDecoder extends ByteToMessageDecoder {
  /** No honest password or SASL message comes near this. */
  public static final int LOGIN_BYTES_MAX = 65_536;

  private boolean startup = true;
  private int bytesMax = LOGIN_BYTES_MAX;

  /** A startup packet was accepted: typed messages follow. */
  public void expectMessages() {
    startup = false;
  }

  /** The client has logged in: messages up to {@code limit} bytes are taken. */
  public void allowMessagesUpTo(int limit) {
    bytesMax = limit;
  }

  /** Bytes were received that no message has consumed yet. */
  public boolean holdsBytes() {
    return actualReadableBytes() > 0;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (startup) {
      decodeStartup(in, out);
    } else {
      decodeFrame(in, out);
    }
  }

  private static void decodeStartup(ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    long length = in.getUnsignedInt(in.readerIndex());
    if (length < 2 * Integer.BYTES || length > StartupPacket.BYTES_MAX) {
      throw ErrorCode.PROTOCOL_VIOLATION.because("Invalid length of startup packet.");
    }
    if (in.readableBytes() >= length) {
      in.skipBytes(Integer.BYTES);
      out.add(StartupPacket.read(in.readSlice((int) length - Integer.BYTES)));
    }
  }

  private void decodeFrame(ByteBuf in, List<Object> out) {
    byte type = in.getByte(in.readerIndex());
    if (!FrontendType.known(type)) {
      throw ErrorCode.PROTOCOL_VIOLATION.because("Invalid frontend message type " + type + ".");
    }
    if (in.readableBytes() < Frame.HEADER) {
      return;
    }
    long length = in.getUnsignedInt(in.readerIndex() + 1);
    if (length < Integer.BYTES) {
      throw ErrorCode.PROTOCOL_VIOLATION.because("Invalid message length " + length + ".");
    }
    if (length > bytesMax) {
      throw ErrorCode.MESSAGE_TOO_LONG.because(
          "A message of " + length + " bytes is over the limit of " + bytesMax + ".");
    }
    if (in.readableBytes() > length) {
      out.add(Frame.of(in.readRetainedSlice((int) length + 1)));
    }
  }
}
