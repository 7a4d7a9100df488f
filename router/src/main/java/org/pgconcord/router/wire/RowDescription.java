package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The columns of a result, as a RowDescription message lists them. */
public record RowDescription(List<Field> fields) {
  public RowDescription {
    fields = List.copyOf(fields);
  }

  /**
   * @param tableOid 0 when the column is not a table's
   * @param format 0 text, 1 binary
   */
  public record Field(
      String name,
      int tableOid,
      short attribute,
      int typeOid,
      short typeSize,
      int typeModifier,
      short format) {

    /** A computed text column. */
    public static Field text(String name) {
      return new Field(name, 0, (short) 0, 25, (short) -1, -1, (short) 0);
    }

    /** Same name, type and modifier: rows of both may stand in one result. */
    public boolean alike(Field other) {
      return name.equals(other.name)
          && typeOid == other.typeOid
          && typeModifier == other.typeModifier
          && format == other.format;
    }

    public Field withType(int oid) {
      return new Field(name, tableOid, attribute, oid, typeSize, typeModifier, format);
    }

    public Field withFormat(short code) {
      return new Field(name, tableOid, attribute, typeOid, typeSize, typeModifier, code);
    }
  }

  public static RowDescription read(Frame frame) {
    ByteBuf body = frame.body();
    int count = body.readUnsignedShort();
    List<Field> fields = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = body.bytesBefore((byte) 0);
      String name = body.readCharSequence(length, StandardCharsets.UTF_8).toString();
      body.skipBytes(1);
      fields.add(
          new Field(
              name,
              body.readInt(),
              body.readShort(),
              body.readInt(),
              body.readShort(),
              body.readInt(),
              body.readShort()));
    }
    return new RowDescription(fields);
  }

  public Frame toFrame() {
    ByteBuf out = Unpooled.buffer(64 + 32 * fields.size());
    out.writeByte(BackendType.ROW_DESCRIPTION).writeInt(0).writeShort(fields.size());
    for (Field f : fields) {
      out.writeCharSequence(f.name(), StandardCharsets.UTF_8);
      out.writeByte(0).writeInt(f.tableOid()).writeShort(f.attribute()).writeInt(f.typeOid());
      out.writeShort(f.typeSize()).writeInt(f.typeModifier()).writeShort(f.format());
    }
    return Frame.of(out.setInt(1, out.readableBytes() - 1));
  }

  /** Same names, types and modifiers, in whatever formats: one result in the eyes of a client. */
  public boolean sameColumns(RowDescription other) {
    boolean same = fields.size() == other.fields.size();
    for (int i = 0; same && i < fields.size(); i++) {
      Field mine = fields.get(i);
      same = mine.alike(other.fields.get(i).withFormat(mine.format()));
    }
    return same;
  }

  /** Without the columns after the first {@code count}. */
  public RowDescription keepFirst(int count) {
    return new RowDescription(fields.subList(0, count));
  }
}
