package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Opens DataRow messages, for the paths that cannot pass them on unread. */
public final class DataRows {
  private DataRows() {}

  /** Every row of the frame, every column's bytes as sent ({@code null} for NULL). */
  public static List<List<byte @Nullable []>> values(Frame rows) {
    List<List<byte @Nullable []>> all = new ArrayList<>(rows.count());
    ByteBuf bytes = rows.bytes().duplicate();
    while (bytes.isReadable()) {
      bytes.skipBytes(Frame.HEADER);
      all.add(row(bytes));
    }
    return all;
  }

  /** Like {@link #values} for columns in text format. */
  public static List<List<@Nullable String>> texts(Frame rows) {
    List<List<@Nullable String>> all = new ArrayList<>(rows.count());
    for (List<byte @Nullable []> row : values(rows)) {
      List<@Nullable String> texts = new ArrayList<>(row.size());
      row.forEach(v -> texts.add(v == null ? null : new String(v, StandardCharsets.UTF_8)));
      all.add(texts);
    }
    return all;
  }

  /** A row of these values, none of them NULL. */
  public static Frame one(List<byte[]> values) {
    ByteBuf out = Unpooled.buffer(64);
    out.writeByte(BackendType.DATA_ROW).writeInt(0).writeShort(values.size());
    for (byte[] value : values) {
      out.writeInt(value.length).writeBytes(value);
    }
    return Frame.rows(out.setInt(1, out.readableBytes() - 1), 1);
  }

  /** A row of these texts, {@code null} for NULL. */
  public static Frame text(List<@Nullable String> values) {
    ByteBuf out = Unpooled.buffer(64);
    BackendFrames.dataRow(out, values);
    return Frame.rows(out, 1);
  }

  private static List<byte @Nullable []> row(ByteBuf bytes) {
    int columns = bytes.readUnsignedShort();
    List<byte @Nullable []> row = new ArrayList<>(columns);
    for (int i = 0; i < columns; i++) {
      row.add(value(bytes));
    }
    return row;
  }

  private static byte @Nullable [] value(ByteBuf bytes) {
    int length = bytes.readInt();
    if (length < 0) {
      return null;
    }
    byte[] value = new byte[length];
    bytes.readBytes(value);
    return value;
  }

  /** Each row by itself; frames of their own bytes. */
  public static List<Frame> each(Frame rows) {
    List<Frame> all = new ArrayList<>(rows.count());
    ByteBuf from = rows.bytes().duplicate();
    while (from.isReadable()) {
      int length = 1 + from.getInt(from.readerIndex() + 1);
      byte[] row = new byte[length];
      from.readBytes(row);
      all.add(Frame.rows(Unpooled.wrappedBuffer(row), 1));
    }
    return all;
  }

  /** Each row by itself with its first {@code columns} columns only; frames of their own bytes. */
  public static List<Frame> split(Frame rows, int columns) {
    List<Frame> all = new ArrayList<>(rows.count());
    ByteBuf from = rows.bytes().duplicate();
    while (from.isReadable()) {
      int length = 1 + from.getInt(from.readerIndex() + 1);
      all.add(keepFirst(Frame.rows(from.readSlice(length), 1), columns));
    }
    return all;
  }

  /**
   * A row in two parts.
   *
   * @param first a row of its first columns, of its own bytes
   * @param rest the values of the others
   */
  public record Parted(Frame first, List<byte @Nullable []> rest) {}

  /** Each row by itself, parted behind its first {@code columns} columns. */
  public static List<Parted> parted(Frame rows, int columns) {
    List<Parted> all = new ArrayList<>(rows.count());
    ByteBuf from = rows.bytes().duplicate();
    while (from.isReadable()) {
      int end = from.readerIndex() + 1 + from.getInt(from.readerIndex() + 1);
      Frame whole = Frame.rows(from.slice(from.readerIndex(), end - from.readerIndex()), 1);
      from.skipBytes(Frame.HEADER);
      int rest = from.readUnsignedShort() - columns;
      for (int i = 0; i < columns; i++) {
        from.skipBytes(Math.max(0, from.readInt()));
      }
      List<byte @Nullable []> values = new ArrayList<>(rest);
      for (int i = 0; i < rest; i++) {
        values.add(value(from));
      }
      all.add(new Parted(keepFirst(whole, columns), values));
      from.readerIndex(end);
    }
    return all;
  }

  /** The same rows with their first {@code columns} columns only; a frame of its own bytes. */
  public static Frame keepFirst(Frame rows, int columns) {
    ByteBuf from = rows.bytes().duplicate();
    ByteBuf to = Unpooled.buffer(rows.length());
    while (from.isReadable()) {
      int end = from.readerIndex() + 1 + from.getInt(from.readerIndex() + 1);
      from.skipBytes(Frame.HEADER + Short.BYTES);
      int start = from.readerIndex();
      for (int i = 0; i < columns; i++) {
        from.skipBytes(Math.max(0, from.readInt()));
      }
      int kept = from.readerIndex() - start;
      to.writeByte(BackendType.DATA_ROW).writeInt(kept + Integer.BYTES + Short.BYTES);
      to.writeShort(columns).writeBytes(from, start, kept);
      from.readerIndex(end);
    }
    return Frame.rows(to, rows.count());
  }
}
