package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TextTemplate;

/**
 * The first rows of a query over several shards, locked: as many as its LIMIT lets through, and no
 * others (docs/decisions/0031).
 *
 * @param rows the same without order and limit
 * @param waits a locked row is waited for: rows are locked one shard after the other, in the
 *     query's order
 * @param ordered how they are found in an order; empty where any rows will do
 * @param unbound the query without its limit
 */
public record FirstLocked(
    Plan.Scatter rows,
    RowBound bound,
    boolean waits,
    Optional<ByKeys> ordered,
    TextTemplate unbound)
    implements Plan {

  /**
   * The rows in their order first, without locks, and then each by its primary keys.
   *
   * @param order the keys that shards are merged by, which the look brings behind the identity
   * @param identity the primary keys of all tables of the FROM clause
   * @param look the rows in their order, up to its LIMIT
   * @param head the client's query with the identity behind its list, up to a condition
   * @param tail what is behind the condition
   */
  public record ByKeys(
      List<SortKey> order,
      List<Part> identity,
      TextTemplate look,
      TextTemplate head,
      TextTemplate tail) {
    public ByKeys {
      order = List.copyOf(order);
      identity = List.copyOf(identity);
    }

    /** Identities and keys of the first rows of one shard. */
    public String look(StatementText text, long most) {
      return look.render(text) + " LIMIT " + most;
    }

    /** What shards are asked first, without its limit. */
    String shape(StatementText text) {
      return look.render(text);
    }

    /** The client's own rows, of these identities alone, locked. */
    public String lock(StatementText text, List<List<@Nullable String>> identities) {
      String rows = identities.stream().map(this::isRow).collect(Collectors.joining(" OR "));
      return head.render(text) + rows + tail.render(text);
    }

    private String isRow(List<@Nullable String> row) {
      return IntStream.range(0, identity.size())
          .mapToObj(i -> identity.get(i).is(row.get(i)))
          .collect(Collectors.joining(" AND ", "(", ")"));
    }
  }

  /**
   * A column of a primary key.
   *
   * @param column with its table's alias
   * @param type of its values
   */
  public record Part(String column, String type) {
    private String is(@Nullable String value) {
      return "%s OPERATOR(pg_catalog.=) %s::%s"
          .formatted(column, Identifiers.literal(String.valueOf(value)), type);
    }

    /** As it is selected. */
    String selected(int number) {
      return "%s::pg_catalog.text AS \"pgconcord_id_%d\"".formatted(column, number);
    }
  }

  /** What one shard is sent where any rows will do. */
  public String some(StatementText text, long most) {
    return unbound.render(text) + " LIMIT " + most;
  }

  @Override
  public StatementFacts facts() {
    return rows.facts();
  }

  @Override
  public <R> R match(Cases<R> cases) {
    return cases.firstLocked(this);
  }
}
