package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;

/**
 * Cuts what a server sends into {@link Frame}s. DataRow messages that arrived together leave as one
 * frame, so that a large result costs a few objects per read, not per row. The receiver releases
 * each frame.
 */
public final class BackendFrameDecoder extends ByteToMessageDecoder {
  private final int bytesMax;

  /** A message longer than {@code bytesMax} ends the connection. */
  public BackendFrameDecoder(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    int start = in.readerIndex();
    int end = start;
    int rows = 0;
    while (wholeAt(in, end) && in.getByte(end) == BackendType.DATA_ROW) {
      end = endOf(in, end);
      rows++;
    }
    if (rows > 0) {
      out.add(Frame.rows(in.readRetainedSlice(end - start), rows));
    } else if (wholeAt(in, start)) {
      out.add(Frame.of(in.readRetainedSlice(endOf(in, start) - start)));
    }
  }

  private boolean wholeAt(ByteBuf in, int index) {
    return in.writerIndex() - index >= Frame.HEADER && endOf(in, index) <= in.writerIndex();
  }

  private int endOf(ByteBuf in, int index) {
    int length = in.getInt(index + 1);
    if (length < Integer.BYTES || length > bytesMax) {
      throw ErrorCode.SHARD_PROTOCOL.because("A shard sent a message of " + length + " bytes.");
    }
    return index + 1 + length;
  }
}
