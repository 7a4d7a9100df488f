package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrontendMessage;
import org.pgconcord.router.wire.FrontendMessage.Subject;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;

/** The protocol's rules, case by case from protocol-cases.txt. */
class ClientSessionTest {

  @TestFactory
  Stream<DynamicTest> cases() throws IOException {
    try (InputStream file = ClientSessionTest.class.getResourceAsStream("protocol-cases.txt")) {
      List<String> lines =
          new String(file.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .toList();
      return lines.stream().map(line -> DynamicTest.dynamicTest(line, () -> check(line)));
    }
  }

  private static void check(String line) {
    String[] parts = line.split("=>|\\|", -1);
    assertThat(talk(parts[0].strip().split("\\s+")))
        .isEqualTo(squeeze(parts[1]) + " | " + squeeze(parts[2]));
  }

  private static String squeeze(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }

  private static String talk(String[] messages) {
    EmbeddedChannel channel = new EmbeddedChannel();
    ScriptedRunner runner = new ScriptedRunner();
    ClientOutput out = new ClientOutput(channel);
    ClientSession session =
        new ClientSession(out, runner, NoMetrics.INSTANCE, channel::checkException);
    for (String message : messages) {
      session.receive(message(message), 10);
    }
    out.release();
    ByteBuf sent = Unpooled.buffer();
    for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      sent.writeBytes((ByteBuf) part);
      ((ByteBuf) part).release();
    }
    String asked = String.join(" ", runner.asked);
    return letters(sent) + " | " + asked;
  }

  private static String letters(ByteBuf sent) {
    StringBuilder letters = new StringBuilder();
    while (sent.isReadable()) {
      Frame frame = Frame.of(sent.readSlice(1 + sent.getInt(sent.readerIndex() + 1)));
      letters.append(' ').append((char) frame.type());
      if (frame.type() == 'Z') {
        letters.append((char) frame.body().readByte());
      } else if (frame.type() == 'E') {
        letters.append('(').append(ErrorFields.read(frame).sqlState()).append(')');
      }
    }
    return letters.toString().strip();
  }

  private static FrontendMessage message(String word) {
    String kind = word.contains(":") ? word.substring(0, word.indexOf(':')) : word;
    String rest = word.substring(Math.min(word.length(), kind.length() + 1));
    String[] pair = rest.split("[=,]", 2);
    return switch (kind) {
      case "Q" -> new FrontendMessage.Query(rest);
      case "P" -> new FrontendMessage.Parse(pair[0], pair[1], ParameterTypes.NONE);
      case "B" -> new FrontendMessage.Bind(pair[0], pair[1], Parameters.none());
      case "Ds" -> new FrontendMessage.Describe(Subject.STATEMENT, rest);
      case "Dp" -> new FrontendMessage.Describe(Subject.PORTAL, rest);
      case "E" -> new FrontendMessage.Execute(pair[0], Integer.parseInt(pair[1]));
      case "Cs" -> new FrontendMessage.Close(Subject.STATEMENT, rest);
      case "Cp" -> new FrontendMessage.Close(Subject.PORTAL, rest);
      case "H" -> new FrontendMessage.Flush();
      case "S" -> new FrontendMessage.Sync();
      case "F" -> new FrontendMessage.FunctionCall();
      case "d" -> new FrontendMessage.CopyDone();
      case "!" -> new FrontendMessage.Malformed("08P01", "malformed", false);
      default -> throw new IllegalArgumentException(word);
    };
  }

  @TestFactory
  Stream<DynamicTest> manyMessagesOfOneBatchDoNotWaitForTheSync() {
    return Stream.of(300, 2000)
        .map(
            count ->
                DynamicTest.dynamicTest(
                    count + " executes",
                    () -> {
                      String batch = "P:s=none S " + "B:=s E:,0 ".repeat(count) + "S";
                      String answers = talk(batch.split("\\s+"));
                      assertThat(answers.split(" C", -1)).hasSize(count + 1);
                      assertThat(answers).contains("C ZI | describe(none) implicit run(none)");
                      assertThat(answers).endsWith("run(none) commit");
                    }));
  }
}
