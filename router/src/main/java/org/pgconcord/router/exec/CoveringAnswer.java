package org.pgconcord.router.exec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * One row made of an entry's values, byte for byte as the owner's shard would send it: the types
 * that take part are printed alike under all settings, and their binary forms are fixed by the
 * protocol.
 */
final class CoveringAnswer {
  private CoveringAnswer() {}

  /**
   * Sends description, row and completion.
   *
   * @param values as text
   * @param types of the columns, as the catalog numbers them
   */
  static void send(
      Execution execution,
      @Nullable RowDescription description,
      List<String> values,
      List<Integer> types) {
    Parameters formats = execution.wireParameters();
    if (execution.describes() && description != null) {
      List<RowDescription.Field> fields = new ArrayList<>();
      for (int column = 0; column < description.fields().size(); column++) {
        fields.add(description.fields().get(column).withFormat(format(formats, column)));
      }
      execution.sink().rowDescription(new RowDescription(fields));
    }
    List<byte[]> row = new ArrayList<>();
    for (int column = 0; column < values.size(); column++) {
      String value = values.get(column);
      row.add(
          format(formats, column) == 0
              ? value.getBytes(StandardCharsets.UTF_8)
              : binary(value, types.get(column)));
    }
    execution.sink().rows(DataRows.one(row));
    execution.sink().complete("SELECT 1");
    execution.done();
  }

  /** One format is for all columns, none means text. */
  private static short format(Parameters parameters, int column) {
    return switch (parameters.resultFormats()) {
      case 0 -> 0;
      case 1 -> parameters.resultFormat(0);
      default -> parameters.resultFormat(column);
    };
  }

  private static byte[] binary(String value, int type) {
    return switch (type) {
      case 16 -> new byte[] {(byte) (value.equals("t") ? 1 : 0)};
      case 20 -> ByteBuffer.allocate(Long.BYTES).putLong(Long.parseLong(value)).array();
      case 21 -> ByteBuffer.allocate(Short.BYTES).putShort(Short.parseShort(value)).array();
      case 23 -> ByteBuffer.allocate(Integer.BYTES).putInt(Integer.parseInt(value)).array();
      case 25, 1042, 1043 -> value.getBytes(StandardCharsets.UTF_8);
      case 2950 -> uuid(UUID.fromString(value));
      default -> throw ErrorCode.INTERNAL.because("a covering read of type " + type);
    };
  }

  private static byte[] uuid(UUID value) {
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(value.getMostSignificantBits())
        .putLong(value.getLeastSignificantBits())
        .array();
  }
}
