package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.analyse.Origins;
import org.pgconcord.router.analyse.Origins.Origin;
import org.pgconcord.router.analyse.Origins.Output;
import org.pgconcord.router.analyse.PinnedValue;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.StatementView;

/**
 * Where the rows of an INSERT ... SELECT belong: on the shard of constants in its list, or on that
 * of the rows which they are made of.
 *
 * @param keys the stored shard key of each arm of the query whose key is constant
 * @param follows some arm's rows go where the rows are that their shard key comes from
 */
record SelectedRows(List<List<PinnedValue>> keys, boolean follows) {
  private static final Set<String> UNLIMITED = Set.of("text", "character varying");

  SelectedRows {
    keys = keys.stream().map(List::copyOf).toList();
  }

  /**
   * Looks at the items in the places of the shard key.
   *
   * @param columns the INSERT's columns
   */
  static SelectedRows of(
      PlanInput input,
      StatementView.Insert insert,
      List<String> columns,
      DeclaredTable table,
      DeclaredTable.ShardKey key) {
    Optional<List<List<Output>>> arms =
        insert.query().flatMap(query -> Origins.of(query, input.names()));
    if (arms.isEmpty()) {
      throw unknown("what the SELECT's columns are is not known here");
    }
    List<List<PinnedValue>> keys = new ArrayList<>();
    boolean follows = false;
    for (List<Output> arm : arms.get()) {
      List<Origin> origins = new ArrayList<>();
      for (KeyColumn column : key.columns()) {
        int at = columns.indexOf(column.name());
        if (at < 0 || at >= arm.size()) {
          throw ErrorCode.WRITE_NO_SHARD_KEY.because(
              "the INSERT gives no value for shard-key column \"%s\" of table %s"
                  .formatted(column.name(), table.name()));
        }
        origins.add(arm.get(at).origin());
      }
      if (origins.stream().allMatch(o -> o instanceof Origin.Constant)) {
        keys.add(constants(origins, table, key));
      } else {
        requireOneRow(origins, key);
        follows = true;
      }
    }
    return new SelectedRows(keys, follows);
  }

  private static List<PinnedValue> constants(
      List<Origin> origins, DeclaredTable table, DeclaredTable.ShardKey key) {
    List<PinnedValue> values = new ArrayList<>();
    for (int i = 0; i < origins.size(); i++) {
      ConstantView value = ((Origin.Constant) origins.get(i)).value();
      if (value instanceof ConstantView.Null) {
        throw ErrorCode.WRITE_NULL_KEY.because(
            "shard-key column \"%s\" of table %s cannot be NULL"
                .formatted(key.columns().get(i).name(), table.name()));
      }
      values.add(new PinnedValue(value, key.columns().get(i)));
    }
    return values;
  }

  /** The whole key of one row, place by place, in a table that is co-located with the target. */
  private static void requireOneRow(List<Origin> origins, DeclaredTable.ShardKey key) {
    Object row = null;
    for (int i = 0; i < origins.size(); i++) {
      if (!(origins.get(i) instanceof Origin.KeyOf of)) {
        throw unknown(
            "the value of shard-key column \"%s\" is neither a constant nor a shard key that is read"
                .formatted(key.columns().get(i).name()));
      }
      boolean same = row == null || row.equals(of.row());
      if (!same || of.position() != i || !of.key().colocatedWith(key)) {
        throw unknown("the shard key comes from rows that may be on other shards");
      }
      if (!storesAsIs(of.column(), key.columns().get(i))) {
        throw unknown(
            "column \"%s\" would be converted to the type of shard-key column \"%s\""
                .formatted(of.column().name(), key.columns().get(i).name()));
      }
      row = of.row();
    }
  }

  /** A longer text would lose its trailing blanks, a number its digits. */
  private static boolean storesAsIs(Column from, KeyColumn to) {
    boolean kind = from.keyType().equals(Optional.of(to.type()));
    return (kind && to.type() == KeyType.INT)
        || (kind && UNLIMITED.contains(to.column().type()))
        || from.type().equals(to.column().type());
  }

  private static ConcordException unknown(String why) {
    return ErrorCode.WRITE_FROM_QUERY.because(why);
  }
}
