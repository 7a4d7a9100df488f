package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Opens CommandComplete messages. */
public final class CommandTag {
  private CommandTag() {}

  /** The tag, such as {@code INSERT 0 1}. */
  public static String read(Frame complete) {
    ByteBuf body = complete.body();
    return body.toString(0, Math.max(0, body.readableBytes() - 1), StandardCharsets.UTF_8);
  }

  /** The number of rows at the end of a tag; 0 for a tag without one. */
  public static long rows(String tag) {
    String last = tag.substring(tag.lastIndexOf(' ') + 1);
    return last.isEmpty() || !last.chars().allMatch(c -> c >= '0' && c <= '9')
        ? 0
        : Long.parseLong(last);
  }
}
