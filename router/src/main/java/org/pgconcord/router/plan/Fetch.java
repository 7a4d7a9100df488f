package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgconcord.config.sharding.ShardLocator;
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
 * @param lookups indexes that name the shards, and the shard keys, of the rows that matter; they
 *     answer alike
 * @param statement what each shard is sent
 * @param columns what it returns, in order
 * @param from the first token of the table's name
 * @param to the token behind its name
 * @param alias {@code AS "name"} where the statement gives it no other name than its own
 * @param dropped schemas in front of the table's name, which fetched rows have not
 * @param dependent what to add to a GROUP BY that names the table's whole primary key: the other
 *     columns follow from it, which PostgreSQL knows of a table and not of fetched rows
 * @param keys rows of another fetch without which rows of this one do not matter
 * @param part the tokens of the query that this fetch is for, which is a part of the statement: all
 *     texts and values count their tokens from there; empty for the statement itself
 */
public record Fetch(
    TableName table,
    ShardGroup group,
    Optional<ShardBinding> binding,
    List<LookupRead> lookups,
    Statement statement,
    List<Column> columns,
    int from,
    int to,
    String alias,
    List<Clauses.Range> dropped,
    List<SqlEdit> dependent,
    Optional<Keys> keys,
    Optional<Clauses.Range> part) {
  /** More distinct keys than this are not sent along: all rows are fetched then. */
  public static final int MOST_KEYS = 5_000;

  public Fetch {
    lookups = List.copyOf(lookups);
    columns = List.copyOf(columns);
    dropped = List.copyOf(dropped);
    dependent = List.copyOf(dependent);
  }

  /** Whether rows of several tables have been joined, and stand in for the whole FROM clause. */
  public boolean joined() {
    return columns.stream().anyMatch(c -> !c.table().isEmpty());
  }

  /**
   * A query of the router's own.
   *
   * @param rows SELECT with its list and FROM
   * @param conditions all of which a row meets
   * @param tail what stands behind WHERE
   */
  public record Statement(TextTemplate rows, List<TextTemplate> conditions, TextTemplate tail) {
    public Statement {
      conditions = List.copyOf(conditions);
    }

    private String render(StatementText text, List<String> more) {
      StringBuilder sql = new StringBuilder(rows.render(text));
      String word = " WHERE (";
      for (TextTemplate condition : conditions) {
        sql.append(word).append(condition.render(text)).append(')');
        word = " AND (";
      }
      for (String condition : more) {
        sql.append(word).append(condition).append(')');
        word = " AND (";
      }
      return sql.append(tail.render(text)).toString();
    }
  }

  /** Each row is one of the table's, and none is left out. */
  public boolean plain() {
    return !joined() && statement.tail().pieces().isEmpty();
  }

  /**
   * What a column must be equal to.
   *
   * @param fetch the number of the fetch, from 0, whose rows come first
   * @param column of that fetch, as it calls it
   * @param target the column of this fetch's table, qualified
   * @param route where a row with a value is, if that column is the table's shard key
   * @param lone what that fetch gives must be one row, or else the statement is an error, which no
   *     rows of this fetch would hide
   */
  public record Keys(
      int fetch, String column, String target, Optional<ShardLocator> route, boolean lone) {
    Keys ofOneRow() {
      return new Keys(fetch, column, target, route, true);
    }
  }

  Fetch withKeys(Keys from) {
    return new Fetch(
        table,
        group,
        binding,
        lookups,
        statement,
        columns,
        this.from,
        to,
        alias,
        dropped,
        dependent,
        Optional.of(from),
        part);
  }

  /** The same for a query that is the tokens of a range of a statement. */
  Fetch within(Clauses.Range range) {
    int by = range.from();
    return new Fetch(
        table,
        group,
        binding,
        List.of(),
        statement,
        columns,
        from + by,
        to + by,
        alias,
        dropped.stream().map(r -> r.shifted(by)).toList(),
        dependent.stream().map(e -> new SqlEdit(e.token() + by, e.text())).toList(),
        keys,
        Optional.of(range));
  }

  private StatementText own(StatementText text) {
    return part.map(text::part).orElse(text);
  }

  /** What a shard is sent. */
  public String sql(StatementText text) {
    return sql(text, List.of());
  }

  /** The same with more conditions. */
  public String sql(StatementText text, List<String> more) {
    return statement.render(own(text), more);
  }

  /**
   * That a row has one of some keys.
   *
   * @param array what stands for them
   */
  public String keyCondition(String array) {
    return keys.orElseThrow().target() + " = ANY (" + array + ")";
  }

  /** Whether the statement has a condition of its own, or an index leads it. */
  boolean isNarrowed() {
    return !statement.conditions().isEmpty() || !lookups.isEmpty();
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
    return binding.flatMap(b -> b.shards(own(text), parameters)).orElse(group.shards());
  }
}
