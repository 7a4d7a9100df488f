package org.pgconcord.gsi;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.config.value.Tuple;

/** The statements that ask one lookup shard for the entries of several keys at once. */
public final class KeysSql {
  private final LookupIndex index;
  private final String lookup;

  public KeysSql(LookupIndex index) {
    this.index = index;
    this.lookup = index.gsi().lookup().quoted();
  }

  /**
   * The read epoch, how many entries there are with any of the keys, and a shard key of theirs,
   * each once; one row with NULL behind the count when there is none. At most one row more than
   * {@link EntrySql#READ_MOST}.
   */
  public EntryStatement shardKeysWithEpoch(List<Tuple> keys) {
    String shardKey = columns(index.shardKey(), "l.");
    String found =
        "SELECT %s, pg_catalog.count(*) AS pgc_count FROM %s GROUP BY %s LIMIT %d"
            .formatted(shardKey, entries(), shardKey, EntrySql.READ_MOST + 1);
    return statement(
        "SELECT e.last_value, f.pgc_count, %s FROM %s e LEFT JOIN (%s) f ON true"
            .formatted(columns(index.shardKey(), "f."), LookupDdl.readEpoch(index), found),
        keys);
  }

  /**
   * Of a unique index: the read epoch, and key, shard key and version of each entry; one row with
   * NULLs behind the epoch when there is none.
   */
  public EntryStatement eachWithEpoch(List<Tuple> keys) {
    return statement(
        "SELECT e.last_value, f.* FROM %s e LEFT JOIN (SELECT %s FROM %s) f ON true"
            .formatted(LookupDdl.readEpoch(index), named(), entries()),
        keys);
  }

  /**
   * Of a unique index: key, shard key and version of each entry that nobody is changing. Waits for
   * nobody, and so is part of no deadlock.
   */
  public EntryStatement eachUnchanging(List<Tuple> keys) {
    return statement(
        "SELECT %s FROM %s FOR SHARE OF l SKIP LOCKED".formatted(named(), entries()), keys);
  }

  /** The columns of {@link #eachWithEpoch} and {@link #eachUnchanging}. */
  private String named() {
    return "%s, %s, l.%s"
        .formatted(columns(index.key(), "l."), columns(index.shardKey(), "l."), EntrySql.VERSION);
  }

  private String entries() {
    String given =
        IntStream.range(0, index.key().size())
            .mapToObj(
                i ->
                    "pg_catalog.unnest(CAST($%d AS %s[]))"
                        .formatted(i + 1, index.key().get(i).sqlType()))
            .collect(Collectors.joining(", "));
    return "(SELECT DISTINCT * FROM ROWS FROM (%s) AS u(%s)) g JOIN %s l ON %s"
        .formatted(
            given,
            EntrySql.numbered(index.key().size(), ""),
            lookup,
            EntrySql.matches(index.key()));
  }

  private static String columns(List<IndexColumn> columns, String qualifier) {
    return columns.stream().map(c -> qualifier + c.quoted()).collect(Collectors.joining(", "));
  }

  private EntryStatement statement(String sql, List<Tuple> keys) {
    return new EntryStatement(
        sql,
        IntStream.range(0, index.key().size())
            .mapToObj(i -> ArrayText.of(keys.stream().map(key -> key.get(i)).toList()))
            .toList());
  }
}
