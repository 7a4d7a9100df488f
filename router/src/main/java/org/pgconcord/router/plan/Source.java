package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.TextTemplate;

/**
 * What a query of one block reads, as far as each shard can put it together by itself: the rows of
 * one sharded table, or those of tables whose rows meet on their shards; in either case those that
 * pass the WHERE clause.
 */
interface Source {
  /** A column, by the name of its table in the query. */
  record Item(String alias, Column column) {
    String qualified() {
      return Identifiers.quote(alias) + "." + Identifiers.quote(column.name());
    }
  }

  /** The columns that tokens could mean, but for some of them. */
  List<Item> needed(Clauses.Range range, Set<Integer> without);

  /** Tokens of the query that have no meaning left when its rows have been fetched. */
  List<Clauses.Range> applied();

  /** Those of {@link #applied} that no fetched rows stand in for. */
  List<Clauses.Range> gone();

  /** Whether every name behind a dot is a column of the table in front of it. */
  boolean namesColumnsOnly();

  /** Whether some table has the column. */
  boolean hasColumn(String name);

  /** Whether the condition, and all else that shards are to do first, has no effects. */
  boolean onlyReads(Clauses.Range range);

  /** The fetched column that a column becomes. */
  Fetch.Column fetched(Item item);

  /** A fetched column that belongs to no table. */
  Fetch.Column computed(String name);

  /**
   * The fetch.
   *
   * @param select SELECT with its list
   * @param columns what the list gives
   * @param tail what stands behind the condition
   */
  Fetch fetch(TextTemplate select, List<Fetch.Column> columns, TextTemplate tail);

  /** The rows when nothing at all can be done first; empty where these are other fetches. */
  Optional<Fetch> plain();
}
