package org.pgconcord.cdc.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.RowImage;

/** A row change as bytes, for the spool: read back by the same process alone. */
final class RowCodec {
  private static final int NULL = -1;
  private static final int NO_IMAGE = -1;

  private RowCodec() {}

  static byte[] encode(RowChange change) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(change.table().schema());
      out.writeUTF(change.table().name());
      out.writeUTF(change.kind().name());
      write(out, change.before());
      write(out, change.after());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static RowChange decode(byte[] stored) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(stored))) {
      TableName table = new TableName(in.readUTF(), in.readUTF());
      RowChange.Kind kind = RowChange.Kind.valueOf(in.readUTF());
      return new RowChange(table, kind, read(in), read(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(DataOutputStream out, @Nullable RowImage image) throws IOException {
    if (image == null) {
      out.writeInt(NO_IMAGE);
      return;
    }
    out.writeInt(image.values().size());
    for (Map.Entry<String, @Nullable String> column : image.values().entrySet()) {
      out.writeUTF(column.getKey());
      String value = column.getValue();
      byte[] text = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
      out.writeInt(value == null ? NULL : text.length);
      out.write(text);
    }
  }

  private static @Nullable RowImage read(DataInputStream in) throws IOException {
    int columns = in.readInt();
    if (columns == NO_IMAGE) {
      return null;
    }
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    for (int i = 0; i < columns; i++) {
      String name = in.readUTF();
      int length = in.readInt();
      values.put(
          name, length == NULL ? null : new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }
    return new RowImage(values);
  }
}
