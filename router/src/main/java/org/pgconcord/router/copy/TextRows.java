package org.pgconcord.router.copy;

import java.util.List;

/**
 * Rows of the text and CSV formats. All bytes that mean anything here are ASCII, and in UTF-8 no
 * byte of another character is, so bytes can be looked at one by one.
 *
 * <p>The first line decides how lines end, as in PostgreSQL; another end within the data is an
 * error. That has to be found here: a shard that gets such a line first would take its other end
 * for the real one and cut the row in two.
 */
final class TextRows extends RowReader {
  /** No whole row is there. */
  private static final int MORE = -1;

  private enum LineEnd {
    UNKNOWN,
    NL,
    CR,
    CRNL
  }

  private final CopyFormat format;
  private final boolean csv;
  private final Rows rows;
  private final FieldReader fields;
  private LineEnd lineEnd = LineEnd.UNKNOWN;
  private boolean headerDue;
  private boolean over;
  private long line;

  // --- how far the row has been read that is not whole yet
  private int at;
  private int endBytes;
  private int inner;
  private boolean inQuote;
  private boolean escaped;

  TextRows(CopyFormat format, List<String> columns, int wanted, Rows rows) {
    this.format = format;
    this.csv = format.kind() == CopyFormat.Kind.CSV;
    this.rows = rows;
    this.fields = new FieldReader(format, columns, wanted);
    this.headerDue = format.header();
  }

  @Override
  void moved(int by) {
    at += by;
  }

  @Override
  int read(byte[] data, int from, int to, boolean last) {
    int start = from;
    while (!over) {
      int end = rowEnd(data, start, to, last);
      if (end == MORE) {
        break;
      }
      row(data, start, end);
      start = end;
    }
    if (last && !over && start < to) {
      if (inQuote && !headerDue) {
        throw BadCopyData.format(line + 1, "unterminated CSV quoted field");
      }
      endBytes = 0;
      row(data, start, to);
    }
    return over || last ? to : start;
  }

  private void row(byte[] data, int from, int to) {
    int lines = 1 + inner;
    line += lines;
    inner = 0;
    if (headerDue) {
      headerDue = false;
      rows.header(data, from, to, lines);
    } else {
      rows.row(
          new CopyRow(data, from, to, line, lines, fields.read(data, from, to - endBytes, line)));
    }
  }

  // --- where a row ends ------------------------------------------------------------------------

  /** The end of the row that begins at {@code start}. */
  private int rowEnd(byte[] data, int start, int to, boolean last) {
    at = Math.max(at, start);
    while (at < to) {
      byte c = data[at];
      if (c == '\\' && (!csv || (at == start && format.dotEnds()))) {
        if (at + 2 >= to && !last && (at + 1 >= to || data[at + 1] == '.')) {
          return MORE;
        }
        if (at + 1 < to && data[at + 1] == '.' && endMarker(data, start, to)) {
          over = true;
          return MORE;
        }
        if (!csv) {
          at += 2;
          continue;
        }
      }
      if (csv) {
        quoting(c);
      }
      if (!inQuote && (c == '\r' || c == '\n')) {
        return lineEnd(data, to, last);
      }
      at++;
    }
    at = Math.min(at, to);
    return MORE;
  }

  /** At a backslash with a dot behind it. */
  private boolean endMarker(byte[] data, int start, int to) {
    boolean alone = at + 2 >= to || data[at + 2] == '\n' || data[at + 2] == '\r';
    if (csv) {
      return alone;
    } else if (!alone || at > start) {
      throw BadCopyData.format(line + 1, "end-of-copy marker is not alone on its line");
    }
    return true;
  }

  /** An escape counts in front of a quote, and not as the second of two. */
  private void quoting(byte c) {
    boolean apart = format.escape() != format.quote();
    if (apart && inQuote && c == format.escape()) {
      escaped = !escaped;
    }
    if (c == format.quote() && !escaped) {
      inQuote = !inQuote;
    }
    if (!apart || c != format.escape()) {
      escaped = false;
    }
    if (inQuote && c == (lineEnd == LineEnd.NL ? '\n' : '\r')) {
      inner++;
    }
  }

  /** At CR or LF outside quotes. */
  private int lineEnd(byte[] data, int to, boolean last) {
    boolean newline = data[at] == '\n';
    if (newline && (lineEnd == LineEnd.CR || lineEnd == LineEnd.CRNL)) {
      throw literal("newline");
    } else if (newline) {
      return ended(LineEnd.NL, 1);
    } else if (lineEnd == LineEnd.NL) {
      throw literal("carriage return");
    } else if (lineEnd == LineEnd.CR) {
      return ended(LineEnd.CR, 1);
    } else if (at + 1 >= to && !last) {
      return MORE;
    } else if (at + 1 < to && data[at + 1] == '\n') {
      return ended(LineEnd.CRNL, 2);
    } else if (lineEnd == LineEnd.CRNL) {
      throw literal("carriage return");
    }
    return ended(LineEnd.CR, 1);
  }

  private int ended(LineEnd how, int length) {
    lineEnd = how;
    endBytes = length;
    return at + length;
  }

  private BadCopyData literal(String what) {
    return BadCopyData.format(
        line + 1, "%s %s found in data".formatted(csv ? "unquoted" : "literal", what));
  }
}
