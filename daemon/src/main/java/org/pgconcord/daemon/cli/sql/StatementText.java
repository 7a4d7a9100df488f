package org.pgconcord.daemon.cli.sql;

/**
 * Collects lines until they end a statement: the last one ends with a semicolon and no quoted text
 * is open. Good enough for typing; what is sent is always the text as typed.
 */
final class StatementText {
  private final StringBuilder text = new StringBuilder();

  /** True when the text so far can be sent. */
  boolean add(String line) {
    text.append(text.length() == 0 ? "" : "\n").append(line);
    return line.stripTrailing().endsWith(";") && !quoteIsOpen();
  }

  boolean isEmpty() {
    return text.toString().isBlank();
  }

  /** The collected text; the next line begins a new one. */
  String take() {
    String taken = text.toString();
    text.setLength(0);
    return taken;
  }

  private boolean quoteIsOpen() {
    char open = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (open == 0 && (c == '\'' || c == '"')) {
        open = c;
      } else if (c == open) {
        open = 0;
      }
    }
    return open != 0;
  }
}
