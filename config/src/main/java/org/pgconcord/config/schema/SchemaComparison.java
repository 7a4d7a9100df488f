package org.pgconcord.config.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.value.ShardId;

/**
 * Compares one table over its shards. Rows of all shards go into one answer, so columns must agree
 * in order, type and collation, and keys must promise the same; what only affects speed may differ,
 * and so may the oids of the user's own types.
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
    properties.put(
        "the order of columns",
        table.columns().stream().map(Column::name).collect(Collectors.joining(", ")));
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
        + (column.generated() ? " generated" : "");
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
