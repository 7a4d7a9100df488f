package org.pgconcord.config.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.value.ShardId;

/**
 * Compares one table over its shards. Rows of all shards go into one answer, so columns must agree
 * in order, type, collation and default, and keys must promise the same; what only affects speed
 * may differ, and so may the oids of the user's own types.
 */
public final class SchemaComparison {
  private SchemaComparison() {}

  /**
   * One finding for each property that differs, naming which shards have which value.
   *
   * @param shards the shards that have the table
   */
  public static List<Finding> compare(Map<ShardId, TableSchema> shards) {
    List<Finding> findings = new ArrayList<>();
    if (shards.isEmpty()) {
      return findings;
    }
    String path = shards.values().iterator().next().name().toString();
    differing(shards, SchemaComparison::properties)
        .forEach(message -> findings.add(Rule.SCHEMA_SHARDS_DIFFER.at(path, message)));
    return findings;
  }

  /** What of it makes one statement mean different things on the shards that have the table. */
  public static ShardDifferences differences(Map<ShardId, TableSchema> shards) {
    Optional<String> columns =
        differing(shards, table -> Map.of("the order of columns", names(table))).stream()
            .findFirst();
    Map<String, String> meanings = new HashMap<>();
    Map<String, String> defaults = new HashMap<>();
    shards.values().stream()
        .flatMap(table -> table.columns().stream())
        .map(Column::name)
        .distinct()
        .forEach(
            name -> {
              column(shards, name, SchemaComparison::meaning)
                  .ifPresent(message -> meanings.put(name, message));
              column(shards, name, c -> c.generated() ? "" : c.expression())
                  .ifPresent(message -> defaults.put(name, message));
            });
    differing(shards, table -> Map.of("row level security", table.rowSecurity() ? "on" : "off"))
        .forEach(message -> meanings.put(ShardDifferences.ROWS, message));
    return new ShardDifferences(columns, meanings, defaults);
  }

  /** Of the shards that have the column: where it is missing a shard says so itself. */
  private static Optional<String> column(
      Map<ShardId, TableSchema> shards, String name, Function<Column, String> property) {
    Map<ShardId, TableSchema> having = new TreeMap<>(shards);
    having.values().removeIf(table -> table.column(name).isEmpty());
    String label = "column \"" + name + "\"";
    return differing(
            having, table -> Map.of(label, property.apply(table.column(name).orElseThrow())))
        .stream()
        .findFirst();
  }

  /** What its values are equal to and how they sort; integers of all widths are one. */
  private static String meaning(Column column) {
    String type = column.base().type();
    if (Set.of("smallint", "integer", "bigint").contains(type)) {
      type = "integer";
    } else if (type.startsWith("character varying")) {
      type = "text";
    } else if (type.startsWith("numeric")) {
      type = "numeric";
    }
    return type
        + (column.collation() == null ? "" : " collate " + column.collation())
        + (column.deterministic() ? "" : " (nondeterministic)")
        + (column.generated() ? " generated as " + column.expression() : "");
  }

  private static String names(TableSchema table) {
    return table.columns().stream().map(Column::name).collect(Collectors.joining(", "));
  }

  /** The same for the databases that hold the tables. */
  public static List<Finding> compareDatabases(
      String database, Map<ShardId, DatabaseSchema> shards) {
    return differing(shards, SchemaComparison::properties).stream()
        .map(message -> Rule.SCHEMA_SHARDS_DIFFER.at(database, message))
        .toList();
  }

  private static Map<String, String> properties(DatabaseSchema database) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("the encoding", database.encoding());
    properties.put(
        "the default collation",
        (database.collate() + " " + database.locale()).strip() + "/" + database.provider());
    return properties;
  }

  private static Map<String, String> properties(TableSchema table) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("the kind of relation", String.valueOf(table.relkind()));
    properties.put("the order of columns", names(table));
    table.columns().forEach(c -> properties.put("column \"" + c.name() + "\"", describe(c)));
    properties.put("the primary key", String.join(", ", table.primaryKey()));
    properties.put("the set of unique keys", uniqueKeys(table));
    properties.put("row level security", table.rowSecurity() ? "on" : "off");
    return properties;
  }

  private static String describe(Column column) {
    boolean domain = !column.base().type().equals(column.type());
    return column.type()
        + (domain ? " over " + column.base().type() : "")
        + (column.collation() == null ? "" : " collate " + column.collation())
        + (column.deterministic() ? "" : " (nondeterministic)")
        + (column.notNull() ? " not null" : "")
        + (column.generated() ? " generated" : "")
        + (column.expression().isEmpty() ? "" : " default " + column.expression());
  }

  private static String uniqueKeys(TableSchema table) {
    return table.uniqueKeys().stream()
        .filter(UniqueKey::usable)
        .map(k -> "(" + String.join(", ", k.columns()) + ")")
        .distinct()
        .sorted()
        .collect(Collectors.joining(" "));
  }

  private static <T> List<String> differing(
      Map<ShardId, T> shards, Function<T, Map<String, String>> properties) {
    Map<String, Map<ShardId, String>> byProperty = new LinkedHashMap<>();
    new TreeMap<>(shards)
        .forEach(
            (shard, subject) ->
                properties
                    .apply(subject)
                    .forEach(
                        (property, value) ->
                            byProperty
                                .computeIfAbsent(property, p -> new TreeMap<>())
                                .put(shard, value)));
    List<String> messages = new ArrayList<>();
    byProperty.forEach(
        (property, values) -> {
          shards.keySet().forEach(shard -> values.putIfAbsent(shard, "absent"));
          if (values.values().stream().distinct().count() > 1) {
            messages.add(property + " differs: " + describe(values));
          }
        });
    return messages;
  }

  private static String describe(Map<ShardId, String> values) {
    return values.entrySet().stream()
        .map(e -> "\"" + Objects.requireNonNull(e.getValue()) + "\" on " + e.getKey())
        .collect(Collectors.joining(", "));
  }
}
