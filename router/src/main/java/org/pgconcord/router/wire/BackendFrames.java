package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what a server, here the router, sends to a client. */
public final class BackendFrames {
  private static final int AUTH_OK = 0;
  private static final int AUTH_SASL = 10;
  private static final int AUTH_SASL_CONTINUE = 11;
  private static final int AUTH_SASL_FINAL = 12;

  private BackendFrames() {}

  public static void authenticationOk(ByteBuf out) {
    authentication(out, AUTH_OK, "");
  }

  public static void authenticationSasl(ByteBuf out, String mechanism) {
    authentication(out, AUTH_SASL, mechanism + "\0\0");
  }

  public static void authenticationSaslContinue(ByteBuf out, String message) {
    authentication(out, AUTH_SASL_CONTINUE, message);
  }

  public static void authenticationSaslFinal(ByteBuf out, String message) {
    authentication(out, AUTH_SASL_FINAL, message);
  }

  private static void authentication(ByteBuf out, int kind, String rest) {
    int start = begin(out, BackendType.AUTHENTICATION);
    out.writeInt(kind);
    ByteBufUtil.writeUtf8(out, rest);
    end(out, start);
  }

  /** The newest minor version spoken here, and the protocol options that are not known here. */
  public static void negotiateProtocolVersion(ByteBuf out, int minor, List<String> unknown) {
    int start = begin(out, BackendType.NEGOTIATE_PROTOCOL_VERSION);
    out.writeInt((3 << 16) | minor).writeInt(unknown.size());
    unknown.forEach(name -> string(out, name));
    end(out, start);
  }

  public static void parameterStatus(ByteBuf out, String name, String value) {
    int start = begin(out, BackendType.PARAMETER_STATUS);
    string(out, name);
    string(out, value);
    end(out, start);
  }

  public static void backendKeyData(ByteBuf out, int processId, int secret) {
    int start = begin(out, BackendType.BACKEND_KEY_DATA);
    out.writeInt(processId).writeInt(secret);
    end(out, start);
  }

  public static void readyForQuery(ByteBuf out, TransactionStatus status) {
    out.writeByte(BackendType.READY_FOR_QUERY).writeInt(5).writeByte(status.letter());
  }

  /** A message without a body: ParseComplete, BindComplete, NoData and the like. */
  public static void empty(ByteBuf out, byte type) {
    out.writeByte(type).writeInt(Integer.BYTES);
  }

  public static void commandComplete(ByteBuf out, String tag) {
    int start = begin(out, BackendType.COMMAND_COMPLETE);
    string(out, tag);
    end(out, start);
  }

  public static void dataRow(ByteBuf out, List<@Nullable String> values) {
    int start = begin(out, BackendType.DATA_ROW);
    out.writeShort(values.size());
    for (String value : values) {
      if (value == null) {
        out.writeInt(-1);
      } else {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length).writeBytes(bytes);
      }
    }
    end(out, start);
  }

  /** CopyInResponse: the server takes rows of so many columns, all text or all binary. */
  public static void copyInResponse(ByteBuf out, boolean binary, int columns) {
    int start = begin(out, BackendType.COPY_IN_RESPONSE);
    out.writeByte(binary ? 1 : 0).writeShort(columns);
    for (int i = 0; i < columns; i++) {
      out.writeShort(binary ? 1 : 0);
    }
    end(out, start);
  }

  public static void copyData(ByteBuf out, byte[] bytes) {
    out.writeByte(BackendType.COPY_DATA).writeInt(Integer.BYTES + bytes.length);
    out.writeBytes(bytes);
  }

  public static void error(ByteBuf out, ErrorFields fields) {
    fields(out, BackendType.ERROR_RESPONSE, fields);
  }

  public static void notice(ByteBuf out, ErrorFields fields) {
    fields(out, BackendType.NOTICE_RESPONSE, fields);
  }

  private static void fields(ByteBuf out, byte type, ErrorFields fields) {
    int start = begin(out, type);
    fields
        .fields()
        .forEach(
            (letter, text) -> {
              out.writeByte(letter);
              string(out, text);
            });
    out.writeByte(0);
    end(out, start);
  }

  private static int begin(ByteBuf out, byte type) {
    out.writeByte(type).writeInt(0);
    return out.writerIndex() - Integer.BYTES;
  }

  private static void end(ByteBuf out, int start) {
    out.setInt(start, out.writerIndex() - start);
  }

  /** Zero bytes end a string on the wire, so they cannot be inside one. */
  private static void string(ByteBuf out, String text) {
    ByteBufUtil.writeUtf8(out, text.indexOf('\0') < 0 ? text : text.replace('\0', '?'));
    out.writeByte(0);
  }
}
