package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class NarratorTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final AtomicLong clock = new AtomicLong(1_000);

  private Narrator narrator(boolean terminal) {
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return new Narrator(out, terminal, clock::get);
  }

  @Test
  void withoutATerminalThereArePlainLinesOnly() {
    Narrator narrator = narrator(false);
    clock.addAndGet(2_500_000_000L);
    narrator.chapter("Start");
    narrator.live("half done");
    narrator.say("two shards");
    narrator.block(List.of("id", "--"));
    narrator.judge(true, "all there");

    assertThat(text())
        .isEqualTo(
            "\n 1  Start"
                + " ".repeat(100 - 9 - 5)
                + "2.5 s\n    two shards\n      id\n      --\n    ok      all there\n");
  }

  @Test
  void theLiveLineIsWipedBeforeAnythingElse() {
    Narrator narrator = narrator(true);
    narrator.live("half done");
    narrator.say("done");
    assertThat(text()).isEqualTo("\r\033[K    half done\r\033[K    done\n");
  }

  @Test
  void whatIsWrongIsCounted() {
    Narrator narrator = narrator(false);
    narrator.judge(true, "one");
    narrator.judge(false, "two");
    narrator.bad("three");
    assertThat(narrator.faults()).isEqualTo(2);
    assertThat(text()).contains("WRONG   two");
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
