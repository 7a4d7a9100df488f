package org.pgconcord.router.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.function.Consumer;
import org.pgconcord.router.wire.Frame;

/**
 * The way to the client: small messages are gathered in one buffer, frames of shards are passed on
 * without a copy, and everything leaves at {@link #flush}. On the channel's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is heard
final class ClientOutput {
  private static final int COPY_BELOW = 512;

  private final Channel channel;
  private ByteBuf gathered;
  private boolean dirty;
  private boolean released;

  ClientOutput(Channel channel) {
    this.channel = channel;
    this.gathered = channel.alloc().buffer();
  }

  /** Writes a message of our own. */
  void write(Consumer<ByteBuf> message) {
    if (released) {
      return;
    }
    message.accept(gathered);
    dirty = true;
  }

  /** Passes a frame on; a small one is cheaper to copy than to keep. */
  void pass(Frame frame) {
    if (released) {
      return;
    }
    ByteBuf bytes = frame.bytes();
    if (bytes.readableBytes() < COPY_BELOW) {
      gathered.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
    } else {
      pushGathered();
      channel.write(bytes.retainedSlice(), channel.voidPromise());
    }
    dirty = true;
  }

  private void pushGathered() {
    if (gathered.isReadable()) {
      channel.write(gathered, channel.voidPromise());
      gathered = channel.alloc().buffer();
    }
  }

  void flush() {
    if (dirty) {
      dirty = false;
      pushGathered();
      channel.flush();
    }
  }

  /** Sends what is written, then closes. */
  void flushAndClose() {
    if (channel.isActive()) {
      flush();
      channel
          .writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER)
          .addListener(io.netty.channel.ChannelFutureListener.CLOSE);
    }
  }

  /** Stops or resumes reading from the client. */
  void reading(boolean on) {
    if (channel.config().isAutoRead() != on) {
      channel.config().setAutoRead(on);
    }
  }

  /** The client is gone: what a call still has to say is dropped. */
  void release() {
    if (!released) {
      released = true;
      dirty = false;
      gathered.release();
    }
  }
}
