package org.pgconcord.router.copy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The first fields of a line in text or CSV format. */
final class FieldReader {
  private final CopyFormat format;
  private final boolean csv;
  private final int wanted;
  private final boolean[] forceNotNull;
  private final boolean[] forceNull;
  private final byte[] nullText;
  private final Optional<byte[]> defaultText;
  private final ByteArrayOutputStream value = new ByteArrayOutputStream();

  /**
   * @param columns the columns of the data in order
   * @param wanted how many fields to read; one more than there are columns tells lines that are too
   *     long
   */
  FieldReader(CopyFormat format, List<String> columns, int wanted) {
    this.format = format;
    this.csv = format.kind() == CopyFormat.Kind.CSV;
    this.wanted = wanted;
    this.forceNotNull = new boolean[wanted];
    this.forceNull = new boolean[wanted];
    for (int i = 0; i < Math.min(wanted, columns.size()); i++) {
      forceNotNull[i] = csv && format.forceNotNull().contains(columns.get(i));
      forceNull[i] = csv && format.forceNull().contains(columns.get(i));
    }
    this.nullText = format.nullText().getBytes(StandardCharsets.UTF_8);
    this.defaultText = format.defaultText().map(t -> t.getBytes(StandardCharsets.UTF_8));
  }

  /** As many as are wanted, or fewer when the line has not so many. */
  List<CopyField> read(byte[] data, int from, int to, long line) {
    List<CopyField> fields = new ArrayList<>(wanted);
    int at = from;
    while (fields.size() < wanted && at <= to) {
      value.reset();
      at = csv ? quoted(data, at, to, line, fields) : escaped(data, at, to, line, fields);
    }
    return fields;
  }

  // --- text ------------------------------------------------------------------------------------

  private int escaped(byte[] data, int from, int to, long line, List<CopyField> fields) {
    int at = from;
    while (at < to && data[at] != format.delimiter()) {
      if (data[at] != '\\') {
        value.write(data[at++]);
      } else if (at + 1 >= to) {
        at++;
      } else {
        at = escape(data, at + 1, to);
      }
    }
    fields.add(field(data, from, at, line, fields.size(), false));
    return at + 1;
  }

  /** What stands behind a backslash. */
  private int escape(byte[] data, int from, int to) {
    byte c = data[from];
    switch (c) {
      case 'b' -> value.write('\b');
      case 'f' -> value.write('\f');
      case 'n' -> value.write('\n');
      case 'r' -> value.write('\r');
      case 't' -> value.write('\t');
      case 'v' -> value.write(0x0B);
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        return number(data, from, to, 8, 3);
      }
      case 'x' -> {
        if (from + 1 < to && Character.digit(data[from + 1], 16) >= 0) {
          return number(data, from + 1, to, 16, 2);
        }
        value.write(c);
      }
      default -> value.write(c);
    }
    return from + 1;
  }

  private int number(byte[] data, int from, int to, int radix, int most) {
    int number = 0;
    int at = from;
    while (at < to && at < from + most && Character.digit(data[at], radix) >= 0) {
      number = number * radix + Character.digit(data[at++], radix);
    }
    value.write(number & 0xFF);
    return at;
  }

  // --- CSV -------------------------------------------------------------------------------------

  private int quoted(byte[] data, int from, int to, long line, List<CopyField> fields) {
    int at = from;
    boolean sawQuote = false;
    boolean inQuote = false;
    while (at < to && (inQuote || data[at] != format.delimiter())) {
      byte c = data[at];
      if (!inQuote && c == format.quote()) {
        sawQuote = true;
        inQuote = true;
        at++;
      } else if (inQuote && c == format.escape() && isEscapable(data, at + 1, to)) {
        value.write(data[at + 1]);
        at += 2;
      } else if (inQuote && c == format.quote()) {
        inQuote = false;
        at++;
      } else {
        value.write(c);
        at++;
      }
    }
    if (inQuote) {
      throw BadCopyData.format(line, "unterminated CSV quoted field");
    }
    fields.add(field(data, from, at, line, fields.size(), sawQuote));
    return at + 1;
  }

  private boolean isEscapable(byte[] data, int at, int to) {
    return at < to && (data[at] == format.escape() || data[at] == format.quote());
  }

  // --- both ------------------------------------------------------------------------------------

  /** What stands for NULL and DEFAULT is compared as it is written, and not when it is quoted. */
  private CopyField field(byte[] data, int from, int to, long line, int number, boolean sawQuote) {
    if (!sawQuote && defaultText.filter(text -> matches(text, data, from, to)).isPresent()) {
      return CopyField.DEFAULT;
    }
    if (!sawQuote && matches(nullText, data, from, to)) {
      return forceNotNull[number] ? CopyField.of(format.nullText()) : CopyField.NULL;
    }
    String text = text(value.toByteArray(), line);
    return forceNull[number] && text.equals(format.nullText())
        ? CopyField.NULL
        : CopyField.of(text);
  }

  private static boolean matches(byte[] text, byte[] data, int from, int to) {
    return Arrays.equals(text, 0, text.length, data, from, to);
  }

  /** Strict UTF-8, as the server asks for it. */
  private static String text(byte[] bytes, long line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new BadCopyData("22021", line, "invalid byte sequence for encoding \"UTF8\"");
    }
  }
}
