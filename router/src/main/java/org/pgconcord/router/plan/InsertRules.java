package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.PinnedValue;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.StatementView.ValueView;

/** What an INSERT into a sharded table must look like, and the shard keys it stores. */
final class InsertRules {
  private final PlanInput input;
  private final StatementView.Insert insert;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;

  InsertRules(
      PlanInput input,
      StatementView.Insert insert,
      DeclaredTable table,
      DeclaredTable.ShardKey key) {
    this.input = input;
    this.insert = insert;
    this.table = table;
    this.key = key;
  }

  /** What entries decide of its conflicts, if anything. */
  Optional<TakenKeys> check(ReadFacts facts, List<Gsi> gsis, List<Gsi> maintained) {
    if (insert.source() == StatementView.Source.DEFAULTS) {
      throw noShardKey(key.columns().get(0).name());
    }
    if (insert.source() == StatementView.Source.VALUES && !facts.pinned()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because("a subquery of the INSERT reads several shards");
    }
    for (Gsi gsi : maintained) {
      if (!gsi.extended()) {
        gsi.columns().forEach(column -> required(gsi, column));
      }
    }
    return conflict().flatMap(rules -> rules.check(gsis, maintained));
  }

  Optional<ConflictRules> conflict() {
    return insert.conflict().map(c -> new ConflictRules(table, key, c));
  }

  /**
   * An indexed column of a maintained index: where NULL is not ignored it must be given; where it
   * is, an absent column counts as NULL unless a default would fill it.
   */
  private void required(Gsi gsi, String name) {
    int at = columns().indexOf(name);
    if (insert.source() == StatementView.Source.QUERY) {
      requireGiven(gsi, name, at >= 0);
      return;
    }
    for (List<ValueView> row : insert.rows()) {
      ValueView value = at < 0 || at >= row.size() ? new ValueView.Default() : row.get(at);
      requireGiven(gsi, name, !(value instanceof ValueView.Default));
      if (isNull(value) && !gsi.ignoreNull()) {
        throw ErrorCode.WRITE_NULL_KEY.because(
            "column \"%s\" of index %s cannot be NULL".formatted(name, gsi.name()));
      }
    }
  }

  private void requireGiven(Gsi gsi, String name, boolean given) {
    if (!given && !(gsi.ignoreNull() && !hasDefault(name))) {
      throw ErrorCode.WRITE_GSI_COLUMN_MISSING.because(
          "column \"%s\" of index %s is not given a value".formatted(name, gsi.name()));
    }
  }

  private boolean hasDefault(String name) {
    return table.schema().flatMap(s -> s.column(name)).map(Column::hasDefault).orElse(true);
  }

  /** The stored shard keys of all rows, and what subqueries are pinned by. */
  List<ShardBinding.Pin> pins(ReadFacts facts) {
    return pins(insert.rows().stream().map(this::storedKey).toList(), facts);
  }

  /** The shard keys of the rows of VALUES. */
  List<ShardBinding.Pin> stored() {
    return storedPins(insert.rows().stream().map(this::storedKey).toList());
  }

  /** Those of rows that a query makes, where they are constant. */
  List<ShardBinding.Pin> stored(SelectedRows rows) {
    return storedPins(rows.keys());
  }

  /** The same for rows that a query makes. */
  List<ShardBinding.Pin> pins(SelectedRows rows, ReadFacts facts) {
    return pins(rows.keys(), facts);
  }

  private List<ShardBinding.Pin> pins(List<List<PinnedValue>> keys, ReadFacts facts) {
    List<ShardBinding.Pin> pins = new ArrayList<>(storedPins(keys));
    pins.addAll(new Bindings(input).compared(facts));
    return pins;
  }

  /** Where the rows of the query belong. */
  SelectedRows selected() {
    return SelectedRows.of(input, insert, columns(), table, key);
  }

  /** The shard key that each row stores. */
  private List<ShardBinding.Pin> storedPins(List<List<PinnedValue>> keys) {
    List<PinnedValue> values = keys.stream().flatMap(List::stream).toList();
    Bindings bindings = new Bindings(input);
    return keys.stream().map(k -> bindings.pin(k, key, values, KeyUse.STORED)).toList();
  }

  /** The rows apart, when there are several and nothing else is read. */
  Optional<RowSplit> split(ReadFacts facts) {
    return insert.rows().size() < 2 ? Optional.empty() : rows(facts);
  }

  /** The rows apart, when nothing else is read. */
  Optional<RowSplit> rows(ReadFacts facts) {
    boolean alone =
        facts.sharded().isEmpty() && facts.local().isEmpty() && facts.references().isEmpty();
    if (insert.rows().isEmpty() || !alone) {
      return Optional.empty();
    }
    ShardId any = key.placement().group().shards().get(0);
    List<ShardBinding> bindings =
        storedPins(insert.rows().stream().map(this::storedKey).toList()).stream()
            .map(pin -> new ShardBinding(List.of(pin), any, Optional.empty()))
            .toList();
    return input
        .clauses()
        .topLevelValues()
        .flatMap(values -> RowSplit.of(input.tokens(), values, bindings));
  }

  private List<PinnedValue> storedKey(List<ValueView> row) {
    return key.columns().stream()
        .map(column -> new PinnedValue(stored(column.name(), row), column))
        .toList();
  }

  private ConstantView stored(String column, List<ValueView> row) {
    int at = columns().indexOf(column);
    ValueView value = at < 0 || at >= row.size() ? new ValueView.Default() : row.get(at);
    if (value instanceof ValueView.Default) {
      throw noShardKey(column);
    } else if (isNull(value)) {
      throw ErrorCode.WRITE_NULL_KEY.because(
          "shard-key column \"%s\" of table %s cannot be NULL".formatted(column, table.name()));
    } else if (value instanceof ValueView.Constant constant) {
      return constant.value();
    }
    throw ErrorCode.WRITE_KEY_NOT_CONSTANT.because(
        "the value of shard-key column \"%s\" is an expression".formatted(column));
  }

  private static boolean isNull(ValueView value) {
    return value instanceof ValueView.Constant constant
        && constant.value() instanceof ConstantView.Null;
  }

  /** Without a list the table's own order counts. */
  List<String> columns() {
    return insert.columns().isEmpty()
        ? table.schema().map(s -> s.columns().stream().map(Column::name).toList()).orElse(List.of())
        : insert.columns();
  }

  private RuntimeException noShardKey(String column) {
    return ErrorCode.WRITE_NO_SHARD_KEY.because(
        "the INSERT gives no value for shard-key column \"%s\" of table %s"
            .formatted(column, table.name()));
  }
}
