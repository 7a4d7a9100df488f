package org.pgconcord.daemon.cli;

import java.io.PrintStream;

/**
 * One line on a terminal that is written over with each change; nothing at all where there is no
 * terminal, or where the output is meant for a program.
 */
public final class LiveLine {
  private static final int WIDTH_MAX = 120;

  private final PrintStream out;
  private final boolean shown;
  private int width;

  public LiveLine(PrintStream out, boolean quiet) {
    this.out = out;
    this.shown = !quiet && Terminal.ERRORS.present();
  }

  public void show(String text) {
    if (!shown || text.isEmpty()) {
      return;
    }
    String line = text.length() > WIDTH_MAX ? text.substring(0, WIDTH_MAX) : text;
    out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    out.flush();
    width = line.length();
  }

  /** Leaves the terminal at the start of an empty line. */
  public void end() {
    if (width > 0) {
      out.print("\r" + " ".repeat(width) + "\r");
      out.flush();
      width = 0;
    }
  }
}
