package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgconcord.config.error.ErrorCode;

/** The first packet of a connection, which has no type byte: one of four requests. */
public sealed interface StartupPacket {
  int SSL_CODE = 80877103;
  int GSS_CODE = 80877104;
  int CANCEL_CODE = 80877102;

  /** Length limit of PostgreSQL's own server. */
  int BYTES_MAX = 10_000;

  record SslRequest() implements StartupPacket {}

  record GssRequest() implements StartupPacket {}

  /** {@code secret} in hexadecimal. */
  record CancelRequest(int processId, String secret) implements StartupPacket {}

  /** Parameters in the order sent, {@code user} and {@code database} among them. */
  record Startup(int major, int minor, Map<String, String> parameters) implements StartupPacket {}

  /** Reads a packet from behind its length word. Every turn of the loop consumes bytes. */
  static StartupPacket read(ByteBuf body) {
    if (body.readableBytes() < Integer.BYTES) {
      throw invalid("it is too short");
    }
    int code = body.readInt();
    return switch (code) {
      case SSL_CODE -> new SslRequest();
      case GSS_CODE -> new GssRequest();
      case CANCEL_CODE -> readCancel(body);
      default -> readStartup(code, body);
    };
  }

  private static CancelRequest readCancel(ByteBuf body) {
    if (body.readableBytes() < 2 * Integer.BYTES || body.readableBytes() > 260) {
      throw invalid("a cancel request has a key of a wrong length");
    }
    int processId = body.readInt();
    return new CancelRequest(processId, ByteBufUtil.hexDump(body));
  }

  private static Startup readStartup(int code, ByteBuf body) {
    int major = code >>> 16;
    int minor = code & 0xffff;
    if (major != 3) {
      return new Startup(major, minor, Map.of());
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    while (body.isReadable() && body.getByte(body.readerIndex()) != 0) {
      String name = readString(body);
      if (parameters.put(name, readString(body)) != null) {
        throw invalid("parameter \"" + printable(name) + "\" is given twice");
      }
    }
    if (body.readableBytes() != 1) {
      throw invalid("expected a terminator as its last byte");
    }
    return new Startup(major, minor, parameters);
  }

  private static String readString(ByteBuf body) {
    int length = body.bytesBefore((byte) 0);
    if (length < 0) {
      throw invalid("a parameter is not ended");
    }
    String text = body.readCharSequence(length, StandardCharsets.UTF_8).toString();
    body.skipBytes(1);
    return text;
  }

  private static String printable(String name) {
    return name.replaceAll("[^A-Za-z0-9_.]", "?");
  }

  private static RuntimeException invalid(String why) {
    return ErrorCode.PROTOCOL_VIOLATION.because("Invalid startup packet: " + why + ".");
  }
}
