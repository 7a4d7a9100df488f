package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;

/**
 * The shard key in rows whose values are at hand.
 *
 * @param places where each of the key's columns is in a row
 */
public record StoredKey(TableName table, DeclaredTable.ShardKey key, List<Integer> places) {
  private static final int TEXT_OID = 25;

  public StoredKey {
    places = List.copyOf(places);
  }

  /**
   * The shard of a row, as its values will be stored by assignment.
   *
   * @param row in binary format
   * @param types the values' types; what is a text may be a literal, which takes the column's
   * @throws org.pgconcord.config.error.ConcordException for NULL, and where the stored value is not
   *     certain
   */
  public ShardId shardOf(List<byte @Nullable []> row, List<Integer> types) {
    List<KeyType> keyTypes = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      KeyColumn column = key.columns().get(i);
      int place = places.get(i);
      keyTypes.add(column.type());
      texts.add(text(row.get(place), types.get(place), column));
    }
    return key.locator().locateAs(keyTypes, texts);
  }

  private String text(byte @Nullable [] value, int type, KeyColumn column) {
    if (value == null) {
      throw ErrorCode.WRITE_NULL_KEY.because(
          "shard-key column \"%s\" of table %s cannot be NULL".formatted(column.name(), table));
    }
    KeyType source = type == TEXT_OID ? null : KeyType.of(type).orElse(null);
    KeyValue stored =
        ParameterText.of(new ParameterValue(type, true, value), type)
            .map(text -> KeyConversion.convert(text, source, column, KeyUse.STORED))
            .orElseGet(() -> new KeyValue.NotConvertible("the value's type is not read here"));
    if (stored instanceof KeyValue.Text text) {
      return text.value();
    }
    throw ErrorCode.WRITE_KEY_NOT_CONVERTIBLE.because(
        "the router cannot tell which shard a row with this value of \"%s\" belongs to"
            .formatted(column.name()));
  }
}
