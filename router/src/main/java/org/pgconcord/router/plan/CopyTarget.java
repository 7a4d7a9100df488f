package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.copy.CopyField;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.copy.CopyRow;

/**
 * Where the rows of a COPY FROM go: the table, its columns as the data has them, and which of them
 * decide.
 *
 * @param columns the columns of the data in order
 * @param keyPlaces the place among them of each column of the key
 */
public record CopyTarget(
    TableName table,
    DeclaredTable.ShardKey key,
    List<String> columns,
    List<Integer> keyPlaces,
    CopyFormat format) {
  public CopyTarget {
    columns = List.copyOf(columns);
    keyPlaces = List.copyOf(keyPlaces);
  }

  /** How many fields of a row must be read to know its shard. */
  public int fieldsNeeded() {
    return 1 + keyPlaces.stream().mapToInt(i -> i).max().orElse(0);
  }

  /**
   * The shard on which the row will be stored.
   *
   * @throws ConcordException when its key is NULL, or not certain to be what the server makes of it
   */
  public ShardId shardOf(CopyRow row) {
    List<KeyType> types = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < keyPlaces.size(); i++) {
      KeyColumn column = key.columns().get(i);
      types.add(column.type());
      texts.add(value(row, row.fields().get(keyPlaces.get(i)), column));
    }
    return key.locator().locateAs(types, texts);
  }

  private String value(CopyRow row, CopyField field, KeyColumn column) {
    if (field.isDefault()) {
      throw located(
          ErrorCode.WRITE_NO_SHARD_KEY.because(
              "a row of the COPY asks for the default of shard-key column \"%s\" of table %s"
                  .formatted(column.name(), table)),
          row,
          column);
    } else if (field.isNull()) {
      throw located(
          ErrorCode.WRITE_NULL_KEY.because(
              "shard-key column \"%s\" of table %s cannot be NULL".formatted(column.name(), table)),
          row,
          column);
    }
    KeyValue value =
        field.text() != null
            ? KeyConversion.convert(field.text(), null, column, KeyUse.STORED)
            : ParameterText.of(
                    new ParameterValue(column.column().typeOid(), true, field.bytes()),
                    column.column().typeOid())
                .map(text -> KeyConversion.convert(text, column.type(), column, KeyUse.STORED))
                .orElseGet(
                    () -> new KeyValue.NotConvertible("the field's binary form is not read here"));
    if (value instanceof KeyValue.Text text) {
      return text.value();
    }
    throw located(
        ErrorCode.WRITE_KEY_NOT_CONVERTIBLE.because(
            "the router cannot tell which shard a row with this value of \"%s\" belongs to"
                .formatted(column.name())),
        row,
        column);
  }

  private ConcordException located(ConcordException error, CopyRow row, KeyColumn column) {
    return error.withDetail(
        "COPY %s, %s %d, column %s."
            .formatted(table.name(), format.binary() ? "row" : "line", row.line(), column.name()));
  }
}
