package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * A sequence that columns of sharded tables take their default from.
 *
 * @param name its name, the same on each shard
 * @param uses the columns, each with the shards of its table
 */
public record NumberedSequence(TableName name, List<Use> uses) {
  public NumberedSequence {
    uses = List.copyOf(uses);
  }

  /** A column that it numbers. */
  public record Use(TableName table, String column, List<ShardId> shards) {
    public Use {
      shards = List.copyOf(shards);
    }
  }

  /**
   * All of the statement's database, by name; those that no router can number are not among them.
   */
  static Map<TableName, NumberedSequence> all(PlanInput input) {
    Map<TableName, List<Use>> uses = new TreeMap<>();
    input
        .database()
        .tables()
        .forEach(
            (table, placement) -> {
              if (placement instanceof Placement.Sharded sharded) {
                uses(input, table, sharded, uses);
              }
            });
    Map<TableName, NumberedSequence> all = new TreeMap<>();
    uses.forEach((name, columns) -> all.put(name, new NumberedSequence(name, columns)));
    return all;
  }

  private static void uses(
      PlanInput input,
      TableName table,
      Placement.Sharded placement,
      Map<TableName, List<Use>> uses) {
    input
        .context()
        .state()
        .schema(input.database().name(), table)
        .ifPresent(
            schema ->
                schema
                    .columns()
                    .forEach(
                        column ->
                            column
                                .numbering()
                                .filter(n -> n.unfit().isEmpty())
                                .ifPresent(
                                    n ->
                                        uses.computeIfAbsent(n.sequence(), s -> new ArrayList<>())
                                            .add(
                                                new Use(
                                                    table,
                                                    column.name(),
                                                    placement.group().shards())))));
  }

  /** The one that a statement means by this text, as {@code regclass} reads it. */
  static Optional<NumberedSequence> named(
      String text, Map<TableName, NumberedSequence> all, PlanInput input) {
    return named(parts(text), all, input);
  }

  /** The same by a name with or without schema. */
  static Optional<NumberedSequence> named(
      List<String> parts, Map<TableName, NumberedSequence> all, PlanInput input) {
    return all.values().stream()
        .filter(
            s ->
                parts.size() == 2
                    ? parts.get(0).equals(s.name().schema()) && parts.get(1).equals(s.name().name())
                    : parts.size() == 1
                        && parts.get(0).equals(s.name().name())
                        && input.names().inPath(s.name().schema()))
        .findFirst();
  }

  /** {@code a."B"} taken apart and folded; empty for what is no name. */
  private static List<String> parts(String text) {
    var tokens = org.pgconcord.router.sql.Lexer.scan(text);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < tokens.size(); i++) {
      boolean name = i % 2 == 0;
      if (name ? !tokens.kind(i).isName() : !tokens.isSymbol(i, ".")) {
        return List.of();
      }
      if (name) {
        parts.add(org.pgconcord.router.sql.Names.of(tokens, i));
      }
    }
    return parts;
  }
}
