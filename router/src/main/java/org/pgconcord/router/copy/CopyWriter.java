package org.pgconcord.router.copy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows as COPY TO does ({@code src/backend/commands/copyto.c}), each by itself, from the
 * columns' values as their output or send functions gave them.
 */
public final class CopyWriter {
  private final CopyFormat format;
  private final List<Boolean> quoted;
  private final byte[] nullText;

  /**
   * @param columns the names of the columns
   * @param forceQuote columns that are quoted in any case (CSV); {@code *} for all
   */
  public CopyWriter(CopyFormat format, List<String> columns, Set<String> forceQuote) {
    this.format = format;
    this.quoted =
        columns.stream().map(c -> forceQuote.contains("*") || forceQuote.contains(c)).toList();
    this.nullText = format.nullText().getBytes(StandardCharsets.UTF_8);
  }

  /** One row; null values are NULL. */
  public byte[] row(List<byte @Nullable []> values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (format.binary()) {
      out.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) values.size()).array());
    }
    for (int i = 0; i < values.size(); i++) {
      byte[] value = values.get(i);
      if (format.binary()) {
        int length = value == null ? -1 : value.length;
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
        out.writeBytes(value == null ? new byte[0] : value);
        continue;
      }
      if (i > 0) {
        out.write(format.delimiter());
      }
      if (value == null) {
        out.writeBytes(nullText);
      } else if (format.kind() == CopyFormat.Kind.CSV) {
        csv(value, quoted.get(i), out);
      } else {
        text(value, out);
      }
    }
    if (!format.binary()) {
      out.write('\n');
    }
    return out.toByteArray();
  }

  private void text(byte[] value, ByteArrayOutputStream out) {
    for (byte c : value) {
      int letter = "\b\f\n\r\t\u000B".indexOf(c);
      if (letter >= 0 && c > 0) {
        out.write('\\');
        out.write("bfnrtv".charAt(letter));
        continue;
      }
      if (c == '\\' || c == format.delimiter()) {
        out.write('\\');
      }
      out.write(c);
    }
  }

  /** What would be taken for NULL, or for the end of the data, is quoted too. */
  private void csv(byte[] value, boolean always, ByteArrayOutputStream out) {
    String text = new String(value, StandardCharsets.UTF_8);
    boolean end = quoted.size() == 1 && text.equals("\\.");
    if (!always && !end && !text.equals(format.nullText()) && !special(value)) {
      out.writeBytes(value);
      return;
    }
    out.write(format.quote());
    for (byte c : value) {
      if (c == format.quote() || c == format.escape()) {
        out.write(format.escape());
      }
      out.write(c);
    }
    out.write(format.quote());
  }

  private boolean special(byte[] value) {
    for (byte c : value) {
      if (c == format.delimiter() || c == format.quote() || c == '\n' || c == '\r') {
        return true;
      }
    }
    return false;
  }
}
