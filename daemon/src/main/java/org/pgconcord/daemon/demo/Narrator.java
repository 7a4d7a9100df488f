package org.pgconcord.daemon.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Tells the demo's story: numbered chapters, plain sentences, tables and plans indented under them.
 * On a terminal one live line shows what is going on and is wiped before anything else is printed;
 * elsewhere there is none. Counts what was not as it should be. Any thread may call.
 */
final class Narrator {
  private static final int WIDTH = 100;
  private static final String MARGIN = "    ";

  /** A live line that a terminal breaks in two cannot be wiped. */
  private static final int LIVE_WIDTH = 79;

  /** Faster changes than the eye follows only cost time. */
  private static final long LIVE_NANOS = 100_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private final LongSupplier nanoTime;
  private final long began;
  private int chapter;
  private int faults;
  private boolean liveShown;
  private long liveAt;

  /**
   * @param terminal bold titles and the live line
   * @param nanoTime a clock as {@link System#nanoTime}
   */
  Narrator(PrintStream out, boolean terminal, LongSupplier nanoTime) {
    this.out = out;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
  }

  synchronized void title(String text) {
    print(emphasised(text));
  }

  /** Begins the next chapter; the time at the right is counted from the demo's start. */
  synchronized void chapter(String text) {
    chapter++;
    String head = String.format(Locale.ROOT, "%2d  %s", chapter, text);
    String time = String.format(Locale.ROOT, "%.1f s", (nanoTime.getAsLong() - began) / 1e9);
    int gap = Math.max(2, WIDTH - head.length() - time.length());
    print("");
    print(emphasised(head) + " ".repeat(gap) + time);
  }

  synchronized void say(String text) {
    print(MARGIN + text);
  }

  /** A statement or command that a reader may type. */
  synchronized void command(String text) {
    print(MARGIN + emphasised(text));
  }

  /** Lines of a table or plan. */
  synchronized void block(List<String> lines) {
    lines.forEach(line -> print((MARGIN + "  " + line).stripTrailing()));
  }

  synchronized void blank() {
    print("");
  }

  /** What had to be so and is. */
  synchronized void good(String text) {
    print(MARGIN + coloured("32", "ok") + "      " + text);
  }

  /** What had to be so and is not; the demo will end with a failure. */
  synchronized void bad(String text) {
    faults++;
    print(MARGIN + coloured("31", "WRONG") + "   " + text);
  }

  void judge(boolean asItShouldBe, String text) {
    if (asItShouldBe) {
      good(text);
    } else {
      bad(text);
    }
  }

  synchronized int faults() {
    return faults;
  }

  /** Replaces the live line; nothing without a terminal. */
  synchronized void live(String text) {
    long now = nanoTime.getAsLong();
    if (!terminal || (liveShown && now - liveAt < LIVE_NANOS)) {
      return;
    }
    String line = MARGIN + text;
    out.print("\r\033[K" + line.substring(0, Math.min(LIVE_WIDTH, line.length())));
    out.flush();
    liveShown = true;
    liveAt = now;
  }

  private void print(String line) {
    if (liveShown) {
      out.print("\r\033[K");
      liveShown = false;
    }
    out.println(line);
    out.flush();
  }

  private String emphasised(String text) {
    return coloured("1", text);
  }

  private String coloured(String code, String text) {
    return terminal ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
