package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.pgconcord.router.wire.FrontendMessage.Subject;

/**
 * Reads client messages. Text must be strict UTF-8 without exception: what the router analyses and
 * what a shard executes must be the same characters.
 */
public final class FrontendReader {
  private FrontendReader() {}

  /** The message in {@code frame}; {@link FrontendMessage.Malformed} when its body is wrong. */
  public static FrontendMessage read(Frame frame) {
    ByteBuf body = frame.body();
    boolean simple = frame.type() == FrontendType.QUERY;
    try {
      FrontendMessage message = read(frame.type(), body);
      if (body.isReadable()) {
        return malformed("invalid message format: trailing bytes", simple);
      }
      return message;
    } catch (CharacterCodingException notUtf8) {
      return new FrontendMessage.Malformed(
          "22021", "invalid byte sequence for encoding \"UTF8\"", simple);
    } catch (IndexOutOfBoundsException tooShort) {
      return malformed("invalid message format", simple);
    }
  }

  private static FrontendMessage malformed(String message, boolean simple) {
    return new FrontendMessage.Malformed("08P01", message, simple);
  }

  private static FrontendMessage read(byte type, ByteBuf body) throws CharacterCodingException {
    return switch (type) {
      case FrontendType.QUERY -> new FrontendMessage.Query(text(body));
      case FrontendType.PARSE -> new FrontendMessage.Parse(text(body), text(body), oids(body));
      case FrontendType.BIND ->
          new FrontendMessage.Bind(text(body), text(body), Parameters.read(body));
      case FrontendType.DESCRIBE -> new FrontendMessage.Describe(subject(body), text(body));
      case FrontendType.EXECUTE -> new FrontendMessage.Execute(text(body), body.readInt());
      case FrontendType.CLOSE -> new FrontendMessage.Close(subject(body), text(body));
      case FrontendType.FLUSH -> new FrontendMessage.Flush();
      case FrontendType.SYNC -> new FrontendMessage.Sync();
      case FrontendType.TERMINATE -> new FrontendMessage.Terminate();
      case FrontendType.COPY_DATA -> new FrontendMessage.CopyData(bytes(body));
      case FrontendType.COPY_DONE -> new FrontendMessage.CopyDone();
      case FrontendType.COPY_FAIL -> new FrontendMessage.CopyFail(text(body));
      default -> {
        body.skipBytes(body.readableBytes());
        yield new FrontendMessage.FunctionCall();
      }
    };
  }

  private static byte[] bytes(ByteBuf body) {
    byte[] bytes = new byte[body.readableBytes()];
    body.readBytes(bytes);
    return bytes;
  }

  private static Subject subject(ByteBuf body) {
    return switch (body.readByte()) {
      case 'S' -> Subject.STATEMENT;
      case 'P' -> Subject.PORTAL;
      default -> throw new IndexOutOfBoundsException("subject");
    };
  }

  private static ParameterTypes oids(ByteBuf body) {
    int[] oids = new int[body.readUnsignedShort()];
    for (int i = 0; i < oids.length; i++) {
      oids[i] = body.readInt();
    }
    return new ParameterTypes(oids);
  }

  private static String text(ByteBuf body) throws CharacterCodingException {
    int length = body.bytesBefore((byte) 0);
    if (length < 0) {
      throw new IndexOutOfBoundsException("string without end");
    }
    ByteBuffer bytes = body.nioBuffer(body.readerIndex(), length);
    String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    body.skipBytes(length + 1);
    return text;
  }
}
