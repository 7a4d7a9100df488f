package org.pgconcord.router.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameter values of a Bind message and the result formats it asks for, kept as the client's
 * own bytes so that they can be sent on untouched. Immutable; holds unpooled memory, so nothing
 * needs releasing.
 */
public final class Parameters {
  private static final Parameters NONE = textValues(List.of());

  private final byte[] tail;
  private final short[] formats;
  private final int[] offsets;
  private final int[] lengths;
  private final short[] resultFormats;

  private Parameters(
      byte[] tail, short[] formats, int[] offsets, int[] lengths, short[] resultFormats) {
    this.tail = tail;
    this.formats = formats;
    this.offsets = offsets;
    this.lengths = lengths;
    this.resultFormats = resultFormats;
  }

  /** Reads a Bind message from behind its two names; throws when a count or length is wrong. */
  public static Parameters read(ByteBuf bind) {
    byte[] tail = new byte[bind.readableBytes()];
    bind.readBytes(tail);
    ByteBuf in = Unpooled.wrappedBuffer(tail);
    short[] formats = readFormats(in);
    int count = in.readUnsignedShort();
    int[] offsets = new int[count];
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      lengths[i] = in.readInt();
      offsets[i] = in.readerIndex();
      if (lengths[i] < -1) {
        throw new IndexOutOfBoundsException("parameter length " + lengths[i]);
      }
      in.skipBytes(Math.max(0, lengths[i]));
    }
    short[] resultFormats = readFormats(in);
    if (in.isReadable() || (formats.length > 1 && formats.length != count)) {
      throw new IndexOutOfBoundsException("format codes or trailing bytes do not fit");
    }
    return new Parameters(tail, formats, offsets, lengths, resultFormats);
  }

  private static short[] readFormats(ByteBuf in) {
    short[] formats = new short[in.readUnsignedShort()];
    for (int i = 0; i < formats.length; i++) {
      formats[i] = in.readShort();
      if (formats[i] != 0 && formats[i] != 1) {
        throw new IndexOutOfBoundsException("format code " + formats[i]);
      }
    }
    return formats;
  }

  /** Values in text format, results in text format: what the router's own statements use. */
  public static Parameters textValues(List<@Nullable String> values) {
    ByteBuf out = Unpooled.buffer();
    out.writeShort(0).writeShort(values.size());
    for (String value : values) {
      if (value == null) {
        out.writeInt(-1);
      } else {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length).writeBytes(bytes);
      }
    }
    return read(out.writeShort(0));
  }

  /**
   * Values all in one format, results in text format.
   *
   * @param values {@code null} for NULL
   */
  public static Parameters values(List<byte @Nullable []> values, boolean binary) {
    ByteBuf out = Unpooled.buffer();
    out.writeShort(1).writeShort(binary ? 1 : 0).writeShort(values.size());
    for (byte[] value : values) {
      if (value == null) {
        out.writeInt(-1);
      } else {
        out.writeInt(value.length).writeBytes(value);
      }
    }
    return read(out.writeShort(0));
  }

  public static Parameters none() {
    return NONE;
  }

  public int count() {
    return offsets.length;
  }

  /** True for binary, false for text. */
  public boolean binary(int index) {
    return formats.length == 1 ? formats[0] == 1 : formats.length > 0 && formats[index] == 1;
  }

  /** The bytes of parameter {@code index} (from 0), {@code null} for NULL; a copy. */
  public byte @Nullable [] value(int index) {
    if (lengths[index] < 0) {
      return null;
    }
    return java.util.Arrays.copyOfRange(tail, offsets[index], offsets[index] + lengths[index]);
  }

  /** Format of result column {@code column}: 0 text, 1 binary. */
  public short resultFormat(int column) {
    if (resultFormats.length == 1) {
      return resultFormats[0];
    }
    return column < resultFormats.length ? resultFormats[column] : 0;
  }

  /** How many result formats the Bind message gives: 0 for all text, 1 for one that fits all. */
  public int resultFormats() {
    return resultFormats.length;
  }

  /** The same values with other result formats. */
  public Parameters withResultFormats(short... formats) {
    int kept = tail.length - Short.BYTES * (1 + resultFormats.length);
    ByteBuf out = Unpooled.buffer(kept + Short.BYTES * (1 + formats.length));
    out.writeBytes(tail, 0, kept).writeShort(formats.length);
    for (short format : formats) {
      out.writeShort(format);
    }
    return read(out);
  }

  /**
   * The same values with more behind them.
   *
   * @param binary for each of the others whether it is in binary format
   */
  public Parameters and(List<? extends byte @Nullable []> others, List<Boolean> binary) {
    ByteBuf out = Unpooled.buffer(tail.length + Short.BYTES * (count() + 1));
    out.writeShort(count() + others.size());
    for (int i = 0; i < count(); i++) {
      out.writeShort(binary(i) ? 1 : 0);
    }
    binary.forEach(b -> out.writeShort(b ? 1 : 0));
    out.writeShort(count() + others.size());
    for (int i = 0; i < count(); i++) {
      out.writeInt(lengths[i]);
      out.writeBytes(tail, offsets[i], Math.max(0, lengths[i]));
    }
    for (byte[] other : others) {
      if (other == null) {
        out.writeInt(-1);
      } else {
        out.writeInt(other.length).writeBytes(other);
      }
    }
    out.writeShort(resultFormats.length);
    for (short format : resultFormats) {
      out.writeShort(format);
    }
    return read(out);
  }

  /** What follows the two names in a Bind message. */
  public byte[] bindTail() {
    return tail;
  }
}
