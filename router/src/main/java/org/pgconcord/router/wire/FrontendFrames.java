package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes what a client, here the router, sends to a server. */
public final class FrontendFrames {
  private FrontendFrames() {}

  public static void startup(ByteBuf out, Map<String, String> parameters) {
    int start = out.writerIndex();
    out.writeInt(0).writeInt(3 << 16);
    parameters.forEach(
        (name, value) -> {
          string(out, name);
          string(out, value);
        });
    out.writeByte(0).setInt(start, out.writerIndex() - start);
  }

  public static void sslRequest(ByteBuf out) {
    out.writeInt(8).writeInt(StartupPacket.SSL_CODE);
  }

  public static void cancelRequest(ByteBuf out, int processId, byte[] secret) {
    out.writeInt(12 + secret.length).writeInt(StartupPacket.CANCEL_CODE);
    out.writeInt(processId).writeBytes(secret);
  }

  public static void saslInitialResponse(ByteBuf out, String mechanism, String response) {
    int start = begin(out, FrontendType.PASSWORD);
    string(out, mechanism);
    byte[] bytes = response.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length).writeBytes(bytes);
    end(out, start);
  }

  public static void saslResponse(ByteBuf out, String response) {
    int start = begin(out, FrontendType.PASSWORD);
    ByteBufUtil.writeUtf8(out, response);
    end(out, start);
  }

  public static void query(ByteBuf out, String sql) {
    int start = begin(out, FrontendType.QUERY);
    string(out, sql);
    end(out, start);
  }

  public static void parse(ByteBuf out, String statement, String sql, ParameterTypes types) {
    int start = begin(out, FrontendType.PARSE);
    string(out, statement);
    string(out, sql);
    out.writeShort(types.count());
    for (int i = 0; i < types.count(); i++) {
      out.writeInt(types.oid(i));
    }
    end(out, start);
  }

  public static void bind(ByteBuf out, String portal, String statement, Parameters parameters) {
    int start = begin(out, FrontendType.BIND);
    string(out, portal);
    string(out, statement);
    out.writeBytes(parameters.bindTail());
    end(out, start);
  }

  /** {@code subject} is {@code 'S'} for a statement, {@code 'P'} for a portal. */
  public static void describe(ByteBuf out, char subject, String name) {
    named(out, FrontendType.DESCRIBE, subject, name);
  }

  public static void close(ByteBuf out, char subject, String name) {
    named(out, FrontendType.CLOSE, subject, name);
  }

  private static void named(ByteBuf out, byte type, char subject, String name) {
    int start = begin(out, type);
    out.writeByte(subject);
    string(out, name);
    end(out, start);
  }

  public static void execute(ByteBuf out, String portal, int maxRows) {
    int start = begin(out, FrontendType.EXECUTE);
    string(out, portal);
    out.writeInt(maxRows);
    end(out, start);
  }

  public static void sync(ByteBuf out) {
    empty(out, FrontendType.SYNC);
  }

  public static void terminate(ByteBuf out) {
    empty(out, FrontendType.TERMINATE);
  }

  public static void copyData(ByteBuf out, byte[] bytes, int from, int to) {
    out.writeByte(FrontendType.COPY_DATA).writeInt(Integer.BYTES + to - from);
    out.writeBytes(bytes, from, to - from);
  }

  public static void copyDone(ByteBuf out) {
    empty(out, FrontendType.COPY_DONE);
  }

  public static void copyFail(ByteBuf out, String message) {
    int start = begin(out, FrontendType.COPY_FAIL);
    string(out, message);
    end(out, start);
  }

  private static void empty(ByteBuf out, byte type) {
    out.writeByte(type).writeInt(Integer.BYTES);
  }

  private static int begin(ByteBuf out, byte type) {
    out.writeByte(type).writeInt(0);
    return out.writerIndex() - Integer.BYTES;
  }

  private static void end(ByteBuf out, int start) {
    out.setInt(start, out.writerIndex() - start);
  }

  private static void string(ByteBuf out, String text) {
    ByteBufUtil.writeUtf8(out, text);
    out.writeByte(0);
  }
}
