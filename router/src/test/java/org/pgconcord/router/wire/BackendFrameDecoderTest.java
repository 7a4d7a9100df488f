package org.pgconcord.router.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackendFrameDecoderTest {

  private static ByteBuf script() {
    ByteBuf script = Unpooled.buffer();
    script.writeBytes(
        new RowDescription(List.of(RowDescription.Field.text("a"))).toFrame().bytes());
    for (int i = 0; i < 5; i++) {
      BackendFrames.dataRow(script, Arrays.asList("row " + i, null, "extra"));
    }
    BackendFrames.commandComplete(script, "SELECT 5");
    BackendFrames.readyForQuery(script, TransactionStatus.OPEN);
    return script;
  }

  private static List<Frame> decode(ByteBuf script, int piece) {
    EmbeddedChannel channel = new EmbeddedChannel(new BackendFrameDecoder(1000));
    List<Frame> frames = new ArrayList<>();
    while (script.isReadable()) {
      channel.writeInbound(script.readBytes(Math.min(piece, script.readableBytes())));
    }
    for (Frame f = channel.readInbound(); f != null; f = channel.readInbound()) {
      frames.add(f);
    }
    return frames;
  }

  @Test
  void rowsThatArriveTogetherAreOneFrame() {
    List<Frame> frames = decode(script(), 10_000);
    assertThat(frames).extracting(f -> (char) f.type()).containsExactly('T', 'D', 'C', 'Z');
    assertThat(frames.get(1).count()).isEqualTo(5);
    assertThat(DataRows.texts(frames.get(1)).get(4)).containsExactly("row 4", null, "extra");
    assertThat(DataRows.texts(DataRows.keepFirst(frames.get(1), 2)))
        .hasSize(5)
        .contains(Arrays.asList("row 0", null));
  }

  @Test
  void piecesMakeNoDifference() {
    for (int piece = 1; piece < 40; piece++) {
      List<Frame> frames = decode(script(), piece);
      List<List<String>> rows = new ArrayList<>();
      frames.stream().filter(f -> f.type() == 'D').forEach(f -> rows.addAll(DataRows.texts(f)));
      assertThat(rows).hasSize(5);
      assertThat(frames.get(frames.size() - 1).type()).isEqualTo((byte) 'Z');
    }
  }

  @Test
  void aMessageOverTheLimitEndsTheConnection() {
    ByteBuf header = Unpooled.buffer().writeByte('D').writeInt(1001);
    assertThatThrownBy(() -> decode(header, 10)).hasMessageContaining("1001");
    assertThatThrownBy(() -> decode(Unpooled.buffer().writeByte('Z').writeInt(3), 10))
        .hasMessageContaining("3 bytes");
  }

  @Test
  void anErrorWithoutAnyFieldIsStillAnError() {
    Frame bare = Frame.of(FrameBytes.message('E', new byte[] {0}));
    assertThat(ErrorFields.read(bare).sqlState()).isEqualTo("XX000");
    Frame cut = Frame.of(FrameBytes.message('E', FrameBytes.utf8("Mno end")));
    assertThat(ErrorFields.read(cut).message()).isEqualTo("error without a message");
  }
}
