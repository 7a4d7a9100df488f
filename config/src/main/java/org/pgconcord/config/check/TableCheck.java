package org.pgconcord.config.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.config.schema.SchemaComparison;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Findings;
import org.pgconcord.config.topology.KeyFunction;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** The rules about one declared table. */
final class TableCheck {
  private final TableName table;
  private final Map<ShardId, TableSchema> here;
  private final Findings findings = new Findings();

  private TableCheck(TableName table, Map<ShardId, TableSchema> here) {
    this.table = table;
    this.here = here;
  }

  /**
   * All findings about a table.
   *
   * @param found the shards that have it; those outside its placement do not count
   */
  static List<Finding> check(
      TableName table, Placement placement, Map<ShardId, TableSchema> found) {
    SortedSet<ShardId> expected = TopologyCheck.shardsOf(placement);
    Map<ShardId, TableSchema> here = new TreeMap<>(found);
    here.keySet().retainAll(expected);
    TableCheck check = new TableCheck(table, here);
    if (!(placement instanceof Placement.Lookup)) {
      check.present(expected);
    }
    check.kind();
    check.children();
    if (placement instanceof Placement.Sharded sharded) {
      sharded.index().columns().forEach(column -> check.shardKey(sharded.index(), column));
      check.sequences();
    }
    if (placement instanceof Placement.Reference) {
      check.referenceKey();
    }
    List<Finding> all = new ArrayList<>(check.findings.all());
    all.addAll(SchemaComparison.compare(here));
    return all;
  }

  /**
   * The findings about a table as one that is sharded by an index.
   *
   * @param found the table where it is
   */
  static List<Finding> shardKey(
      TableName table, ShardIndex index, Map<ShardId, TableSchema> found) {
    TableCheck check = new TableCheck(table, new TreeMap<>(found));
    index.columns().forEach(column -> check.shardKey(index, column));
    return check.findings.all();
  }

  private void present(SortedSet<ShardId> expected) {
    SortedSet<ShardId> missing = new TreeSet<>(expected);
    missing.removeAll(here.keySet());
    findings.require(
        missing.isEmpty(),
        Rule.SCHEMA_TABLE_MISSING,
        table.toString(),
        "the table is not there on " + missing);
  }

  private void kind() {
    here.forEach(
        (shard, schema) ->
            findings.require(
                schema.relkind() == 'r' || schema.relkind() == 'p',
                Rule.SCHEMA_NOT_A_TABLE,
                table.toString(),
                "it is a relation of kind " + schema.relkind() + " on " + shard));
  }

  private void children() {
    here.forEach(
        (shard, schema) ->
            findings.require(
                schema.family().children().isEmpty(),
                Rule.SCHEMA_CHILDREN,
                table.toString(),
                "its rows are also in %s on %s"
                    .formatted(String.join(", ", schema.family().children()), shard)));
  }

  /** Checked on the first shard: that the others agree is a rule of its own. */
  private void shardKey(ShardIndex index, String name) {
    Optional<TableSchema> first = here.values().stream().findFirst();
    if (first.isEmpty()) {
      return;
    }
    Optional<Column> column = first.get().column(name);
    if (column.isEmpty()) {
      findings.add(
          Rule.SCHEMA_SHARD_KEY_MISSING, table.toString(), "it has no column \"" + name + "\"");
      return;
    }
    shardKey(index, column.get());
  }

  private void shardKey(ShardIndex index, Column column) {
    String path = table + "." + column.name();
    findings.require(
        column.keyType().map(KeyType::routes).orElse(false),
        Rule.SCHEMA_SHARD_KEY_TYPE,
        path,
        "the type " + column.type() + " cannot be a shard key");
    boolean integers = index.type() != ShardIndexType.XXHASH;
    findings.require(
        !integers || column.keyType().map(t -> t == KeyType.INT).orElse(true),
        Rule.SCHEMA_SHARD_KEY_TYPE,
        path,
        "the type %s is not an integer, as index \"%s\" of type %s needs"
            .formatted(column.type(), index.name(), index.type().word()));
    boolean passed = index.function(column.name()) != KeyFunction.NONE;
    findings.require(
        !passed || column.keyType().map(t -> t == KeyType.TEXT).orElse(true),
        Rule.SCHEMA_SHARD_KEY_TYPE,
        path,
        "the type " + column.type() + " is not text, as the expression of the index needs");
    findings.require(
        !passed || column.collation() == null || column.asciiCase(),
        Rule.SCHEMA_SHARD_KEY_EXPRESSION,
        path,
        "what the index's expression gives under the collation "
            + column.collation()
            + " depends on the server");
    findings.require(
        column.deterministic(),
        Rule.SCHEMA_SHARD_KEY_COLLATION,
        path,
        "under the collation " + column.collation() + " different texts can be equal");
    findings.require(
        !column.generated(),
        Rule.SCHEMA_SHARD_KEY_GENERATED,
        path,
        "the shard key is a generated column");
    findings.require(
        column.notNull(), Rule.SCHEMA_SHARD_KEY_NULL, path, "the shard key may be NULL");
  }

  /** A sequence whose numbers routers cannot give, and that counts on each shard by itself. */
  private void sequences() {
    Map<String, List<Numbering>> columns = new TreeMap<>();
    here.values().stream()
        .flatMap(schema -> schema.columns().stream())
        .forEach(
            c ->
                c.numbering()
                    .ifPresent(
                        n -> columns.computeIfAbsent(c.name(), k -> new ArrayList<>()).add(n)));
    columns.forEach(
        (column, sequences) ->
            Numbering.over(sequences)
                .flatMap(Numbering::unfit)
                .ifPresent(
                    why ->
                        findings.add(
                            Rule.SCHEMA_SEQUENCE,
                            table + "." + column,
                            why + "; rows that leave the column to it are refused")));
  }

  private void referenceKey() {
    here.values().stream()
        .findFirst()
        .ifPresent(
            schema ->
                findings.require(
                    !schema.primaryKey().isEmpty(),
                    Rule.SCHEMA_NO_PRIMARY_KEY,
                    table.toString(),
                    "the reference table has no primary key"));
  }
}
