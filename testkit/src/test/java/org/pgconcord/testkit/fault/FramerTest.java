package org.pgconcord.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FramerTest {
  @Test
  void aConnectionBeginsWithoutTypeBytes() {
    Framer framer = new Framer(Direction.TO_SERVER);

    assertThat(kinds(push(framer, Bytes.SSL_REQUEST))).isEqualTo("?");
    assertThat(kinds(push(framer, Bytes.startup("user", "demo")))).isEqualTo("^");
    assertThat(kinds(push(framer, Bytes.message('Q', "SELECT 1\0")))).isEqualTo("Q");
    assertThat(kinds(push(new Framer(Direction.TO_SERVER), Bytes.CANCEL_REQUEST))).isEqualTo("!");
  }

  @Test
  void aServersMessagesAreTyped() {
    assertThat(kinds(push(new Framer(Direction.TO_CLIENT), Bytes.message('R', "\0\0\0\0"))))
        .isEqualTo("R");
  }

  @Test
  void messagesAreTheSameHoweverTheirBytesArrive() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(Bytes.startup("user", "demo"));
    all.writeBytes(Bytes.message('P', "\0BEGIN\0\0\0"));
    all.writeBytes(Bytes.message('S', ""));
    byte[] bytes = all.toByteArray();
    for (int size = 1; size <= bytes.length; size++) {
      Framer framer = new Framer(Direction.TO_SERVER);
      StringBuilder kinds = new StringBuilder();
      ByteArrayOutputStream again = new ByteArrayOutputStream();
      for (int at = 0; at < bytes.length; at += size) {
        byte[] chunk = Arrays.copyOfRange(bytes, at, Math.min(at + size, bytes.length));
        for (Message message : push(framer, chunk)) {
          kinds.append(message.kind());
          again.writeBytes(message.bytes());
        }
      }
      assertThat(kinds).hasToString("^PS");
      assertThat(again.toByteArray()).isEqualTo(bytes);
    }
  }

  @Test
  void whatIsNoMessageIsRefused() {
    byte[] negative = {'Q', -1, 0, 0, 0};
    assertThatThrownBy(() -> push(new Framer(Direction.TO_CLIENT), negative))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] tlsHello = {0x16, 3, 1, 2, 0, 1};
    assertThatThrownBy(() -> push(new Framer(Direction.TO_SERVER), tlsHello))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aStartupMessageNamesItsSettings() {
    Message startup =
        push(new Framer(Direction.TO_SERVER), Bytes.startup("user", "demo", "application_name", ""))
            .get(0);
    assertThat(Link.parameters(startup)).isEqualTo(Map.of("user", "demo", "application_name", ""));
  }

  private static List<Message> push(Framer framer, byte[] bytes) {
    return framer.push(bytes, bytes.length);
  }

  private static String kinds(List<Message> messages) {
    return messages.stream().map(m -> String.valueOf(m.kind())).collect(Collectors.joining());
  }
}
