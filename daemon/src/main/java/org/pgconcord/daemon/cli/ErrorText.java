package org.pgconcord.daemon.cli;

import org.pgconcord.config.error.ConcordException;

/** An error as a person reads it: what happened, where, what to do, and the stable code. */
final class ErrorText {
  private ErrorText() {}

  static String of(ConcordException error) {
    StringBuilder text = new StringBuilder("error: ").append(error.message()).append('\n');
    String detail = error.detail();
    if (detail != null) {
      text.append(indented("  detail:     ", detail));
    }
    text.append(indented("  what to do: ", error.hint()));
    return text.append("  code:       ").append(error.code().id()).append('\n').toString();
  }

  private static String indented(String label, String text) {
    String margin = " ".repeat(label.length());
    return label + text.strip().replace("\n", "\n" + margin) + '\n';
  }
}
