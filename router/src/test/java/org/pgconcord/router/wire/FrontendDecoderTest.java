package org.pgconcord.router.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

class FrontendDecoderTest {
  private static EmbeddedChannel typed(int limit) {
    FrontendDecoder decoder = new FrontendDecoder();
    decoder.expectMessages();
    decoder.allowMessagesUpTo(limit);
    return new EmbeddedChannel(decoder);
  }

  private static List<String> read(EmbeddedChannel channel) {
    List<String> read = new ArrayList<>();
    for (Object in = channel.readInbound(); in != null; in = channel.readInbound()) {
      if (in instanceof Frame frame) {
        read.add(String.valueOf(FrontendReader.read(frame)));
        frame.release();
      } else {
        read.add(String.valueOf(in));
      }
    }
    return read;
  }

  @Test
  void oneByteAtATimeIsTheSameAsAllAtOnce() {
    ByteBuf script = Unpooled.buffer();
    FrontendFrames.query(script, "SELECT 'é'");
    FrontendFrames.parse(script, "s", "SELECT $1", new ParameterTypes(23, 0));
    FrontendFrames.bind(script, "p", "s", Parameters.textValues(List.of("1")));
    FrontendFrames.describe(script, 'P', "p");
    FrontendFrames.execute(script, "p", 7);
    FrontendFrames.close(script, 'S', "s");
    FrontendFrames.sync(script);
    EmbeddedChannel whole = typed(1000);
    whole.writeInbound(script.copy());
    EmbeddedChannel drops = typed(1000);
    while (script.isReadable()) {
      drops.writeInbound(script.readBytes(1));
    }
    List<String> expected = read(whole);
    assertThat(read(drops))
        .usingElementComparator(
            (a, b) -> a.replaceAll("@\\w+", "").compareTo(b.replaceAll("@\\w+", "")))
        .isEqualTo(expected);
    assertThat(expected)
        .hasSize(7)
        .contains("Query[sql=SELECT 'é']", "Execute[portal=p, maxRows=7]");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 3, 4, 7, 10_001, 0x7FFFFFFFL, 0x80000000L, 0xFFFFFFFFL})
  void aStartupPacketOfAWrongLengthIsRefusedBeforeItIsRead(long length) {
    EmbeddedChannel channel = new EmbeddedChannel(new FrontendDecoder());
    assertThatThrownBy(() -> channel.writeInbound(Unpooled.buffer().writeInt((int) length)))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.PROTOCOL_VIOLATION));
  }

  @ParameterizedTest
  @ValueSource(longs = {1001, 0x7FFFFFFFL, 0x80000000L, 0xFFFFFFFFL})
  void aMessageOverTheLimitIsRefusedByItsHeader(long length) {
    ByteBuf header = Unpooled.buffer().writeByte('Q').writeInt((int) length);
    assertThatThrownBy(() -> typed(1000).writeInbound(header))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.MESSAGE_TOO_LONG));
  }

  @ParameterizedTest
  @ValueSource(bytes = {'R', 'Z', 'T', 0, '0', (byte) 0x16})
  void anUnknownTypeIsRefusedByItsFirstByte(byte type) {
    assertThatThrownBy(() -> typed(1000).writeInbound(Unpooled.buffer().writeByte(type)))
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.PROTOCOL_VIOLATION));
  }

  private static ErrorCode code(Throwable thrown) {
    Throwable cause = thrown instanceof DecoderException ? thrown.getCause() : thrown;
    if (cause instanceof ConcordException known) {
      return known.code();
    }
    throw new AssertionError(thrown);
  }

  @Test
  void textThatIsNotUtf8IsMalformed() {
    for (byte[] bad :
        new byte[][] {
          {(byte) 0xC0, (byte) 0x80},
          {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
          {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
          {(byte) 0xC3}
        }) {
      ByteBuf body = Unpooled.buffer().writeBytes(bad).writeByte(0);
      byte[] bytes = new byte[body.readableBytes()];
      body.readBytes(bytes);
      assertThat(FrontendReader.read(Frame.of(FrameBytes.message('Q', bytes))))
          .isEqualTo(
              new FrontendMessage.Malformed(
                  "22021", "invalid byte sequence for encoding \"UTF8\"", true));
    }
  }

  /** Random and half-right bytes: every outcome is a message or a named error, and it ends. */
  @Test
  void whateverComesInIsReadOrRefused() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String types = "BCdcfDEHFPpQSX";
    for (int round = 0; round < 20_000; round++) {
      byte[] body = new byte[random.nextInt(40)];
      random.nextBytes(body);
      for (int i = 0; i < body.length; i++) {
        if (random.nextInt(3) > 0) {
          body[i] = (byte) random.nextInt(3);
        }
      }
      char type = types.charAt(random.nextInt(types.length()));
      try {
        assertThat(FrontendReader.read(Frame.of(FrameBytes.message(type, body)))).isNotNull();
        StartupPacket.read(Unpooled.wrappedBuffer(body));
      } catch (ConcordException refused) {
        assertThat(refused.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
      } catch (RuntimeException bug) {
        throw new AssertionError("seed " + seed + " round " + round, bug);
      }
    }
  }

  @Test
  void aStartupPacketIsReadStrictly() {
    int version = 3 << 16;
    assertThat(StartupPacket.read(packet(version, "user\0a\0database\0b\0\0")))
        .isEqualTo(new StartupPacket.Startup(3, 0, java.util.Map.of("user", "a", "database", "b")));
    for (String bad :
        new String[] {"user\0a", "user\0a\0", "user\0", "user\0a\0\0x", "u\0a\0u\0b\0\0"}) {
      assertThatThrownBy(() -> StartupPacket.read(packet(version, bad)))
          .isInstanceOf(ConcordException.class);
    }
    assertThat(StartupPacket.read(packet(4 << 16, "")))
        .isEqualTo(new StartupPacket.Startup(4, 0, java.util.Map.of()));
  }

  private static ByteBuf packet(int code, String rest) {
    return FrameBytes.packet(code, FrameBytes.utf8(rest)).skipBytes(4);
  }
}
