package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TextTemplate;

/**
 * The rows of one appearance of a sharded table that a gathered query needs, as its shards are
 * asked for them; and the place in the statement where they stand in for the table.
 *
 * @param binding where the statement pins this table; its rows elsewhere do not matter
 * @param sql what each shard is sent
 * @param columns what it returns, in order
 * @param from the first token of the table's name
 * @param to the token behind its name
 * @param alias {@code AS "name"} where the statement gives it no other name than its own
 * @param dropped schemas in front of the table's name, which fetched rows have not
 * @param dependent what to add to a GROUP BY that names the table's whole primary key: the other
 *     columns follow from it, which PostgreSQL knows of a table and not of fetched rows
 * @param keys rows of another fetch without which rows of this one do not matter
 */
public record Fetch(
    TableName table,
    ShardGroup group,
    Optional<ShardBinding> binding,
    TextTemplate sql,
    List<Column> columns,
    int from,
    int to,
    String alias,
    List<Clauses.Range> dropped,
    List<SqlEdit> dependent,
    Optional<Keys> keys) {
  /** More distinct keys than this are not sent along: all rows are fetched then. */
  public static final int MOST_KEYS = 5_000;

  public Fetch {
    columns = List.copyOf(columns);
    dropped = List.copyOf(dropped);
    dependent = List.copyOf(dependent);
  }

  /** Whether rows of several tables have been joined, and stand in for the whole FROM clause. */
  public boolean joined() {
    return columns.stream().anyMatch(c -> !c.table().isEmpty());
  }

  /**
   * What a column must be equal to.
   *
   * @param fetch the number of the fetch, from 0, whose rows come first
   * @param column of that fetch, as it calls it
   * @param target the column of this fetch's table, qualified
   */
  public record Keys(int fetch, String column, String target) {}

  Fetch withKeys(Keys from) {
    return new Fetch(
        table,
        group,
        binding,
        sql,
        columns,
        this.from,
        to,
        alias,
        dropped,
        dependent,
        Optional.of(from));
  }

  /**
   * The statement narrowed to some keys.
   *
   * @param array what stands for them
   */
  public String sqlWithKeys(StatementText text, String array) {
    String plain = sql.render(text);
    String condition = keys.orElseThrow().target() + " = ANY (" + array + ")";
    return plain + (isNarrowed() ? " AND (" : " WHERE (") + condition + ")";
  }

  /** Whether the statement has a condition of its own. */
  boolean isNarrowed() {
    return sql.pieces().stream().anyMatch(piece -> piece.text().equals(FetchPlanner.WHERE));
  }

  /**
   * A column of the fetched rows.
   *
   * @param name as the finishing query calls it, quoted
   * @param cast what gives it back its declared type and collation, {@code ::type}; empty where it
   *     keeps the type that it came with
   * @param table where rows of several tables are joined, the name that qualifies it, quoted
   */
  public record Column(String name, String cast, String table) {}

  /** What stands in the table's place, in words. */
  SqlReplacement shape() {
    if (joined()) {
      return new SqlReplacement(from, to, "(rows joined on their shards)");
    }
    String as = alias.isEmpty() ? "" : " " + alias.strip();
    return new SqlReplacement(from, to, "(rows of %s)%s".formatted(table, as));
  }

  /** What else changes in the query's text. */
  public List<SqlReplacement> edits() {
    return Stream.concat(
            dependent.stream().map(SqlReplacement::of),
            dropped.stream().map(r -> new SqlReplacement(r.from(), r.to(), "")))
        .toList();
  }

  /** The shards whose rows matter for these values: none where they contradict each other. */
  public List<ShardId> shards(StatementText text, Parameters parameters) {
    return binding.flatMap(b -> b.shards(text, parameters)).orElse(group.shards());
  }
}
