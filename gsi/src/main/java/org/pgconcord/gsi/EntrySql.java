package org.pgconcord.gsi;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.Tuple;

/**
 * Every statement about single entries of one index. All of them run as the service role, but for
 * {@link #addInMain}, {@link #undoInMain} and {@link #shareKeyLocks}, which run in the client's own
 * transaction. Values are compared as the columns' types compare, which is what the lookup table's
 * primary key and the owner's unique index do as well.
 */
public final class EntrySql {
  /** Entries of one key that are worth reading. */
  public static final int READ_MOST = 1_000;

  private static final String NOBODY = "-";

  /** Another one after every committed change of the entry. */
  static final String VERSION = "xmin AS pgc_version";

  private final LookupIndex index;
  private final String lookup;
  private final String columns;
  private final String all;
  private final String identity;
  private final String identityEquals;
  private final String token;

  /** For whom no transaction clears a token: only a settlement does. */
  public EntrySql(LookupIndex index) {
    this(index, NOBODY);
  }

  /**
   * For the statements of one transaction.
   *
   * @param token hexadecimal digits, which mark what it writes where the index is covering
   */
  public EntrySql(LookupIndex index, String token) {
    this.token = token;
    this.index = index;
    this.lookup = index.gsi().lookup().quoted();
    this.columns = list(index.columns());
    this.all = equal(index.columns(), " AND ");
    this.identity = list(index.identity());
    this.identityEquals = equal(index.identity(), " AND ");
  }

  private static String list(List<IndexColumn> columns) {
    return columns.stream().map(IndexColumn::quoted).collect(Collectors.joining(", "));
  }

  /** Each column, in order, with the parameter of its place. */
  private static String equal(List<IndexColumn> columns, String between) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> columns.get(i).quoted() + " = $" + (i + 1))
        .collect(Collectors.joining(between));
  }

  private static String parameters(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "$" + i).collect(Collectors.joining(", "));
  }

  /**
   * One row per entry with these indexed values: the read epoch, its version (another one after
   * every change), then the shard key's columns; one row with NULLs behind the epoch when there is
   * none. At most one row more than {@link #READ_MOST}.
   */
  public EntryStatement readWithEpoch(Tuple key) {
    return EntryStatement.of(
        "SELECT e.last_value, l.* FROM %s e LEFT JOIN (SELECT %s, %s FROM %s WHERE %s LIMIT %d) l ON true"
            .formatted(
                LookupDdl.readEpoch(index),
                VERSION,
                list(index.shardKey()),
                lookup,
                equal(index.key(), " AND "),
                READ_MOST + 1),
        key);
  }

  /** The holder of the identity's entry; no row without entry. Waits for nobody. */
  public EntryStatement read(Tuple identity) {
    return EntryStatement.of(select(), identity);
  }

  /**
   * The holder of the identity's entry, locked so that nobody changes it before this transaction
   * ends. The lock also waits for a change that is under way, in POST or in a prepared transaction.
   */
  public EntryStatement readForShare(Tuple identity) {
    return EntryStatement.of(select() + " FOR SHARE", identity);
  }

  /** As {@link #readForShare} of a unique index: the entry's version, then its holder. */
  public EntryStatement readVersionForShare(Tuple identity) {
    return EntryStatement.of(
        select().replaceFirst("SELECT ", "SELECT " + VERSION + ", ") + " FOR SHARE", identity);
  }

  /**
   * One entry with these indexed values, locked so that nobody removes it before this transaction
   * ends; all its columns. Waits for a removal that is under way.
   *
   * @param except identities that are not meant
   */
  public EntryStatement holdOne(Tuple key, Collection<Tuple> except) {
    return oneWithKey(lookup, key, except, " LIMIT 1 FOR KEY SHARE");
  }

  /** On an owner shard: the entry of one visible owner row with these indexed values. */
  public EntryStatement ownerWithKey(Tuple key, Collection<Tuple> except) {
    return oneWithKey(index.gsi().owner().quoted(), key, except, " LIMIT 1");
  }

  private EntryStatement oneWithKey(
      String table, Tuple key, Collection<Tuple> except, String behind) {
    StringBuilder where = new StringBuilder(equal(index.key(), " AND "));
    Tuple all = key;
    for (Tuple identity : except) {
      int first = all.size();
      where
          .append(" AND NOT (")
          .append(
              IntStream.range(0, identity.size())
                  .mapToObj(i -> index.identity().get(i).quoted() + " = $" + (first + i + 1))
                  .collect(Collectors.joining(" AND ")))
          .append(')');
      all = all.then(identity);
    }
    return EntryStatement.of(
        "SELECT " + columns + " FROM " + table + " WHERE " + where + behind, all);
  }

  /** The entry in a row of {@link #holdOne} or {@link #ownerWithKey}. */
  public Entry entry(List<@Nullable String> row) {
    return index.entry(tuple(row));
  }

  /** The holder of the identity's entry, locked for a change. */
  public EntryStatement lock(Tuple identity) {
    return EntryStatement.of(select() + " FOR UPDATE", identity);
  }

  private String select() {
    String holder = index.holder().isEmpty() ? "1" : list(index.holder());
    return "SELECT " + holder + pendingColumn() + " FROM " + lookup + " WHERE " + identityEquals;
  }

  /** The holder in a row of {@link #read}, {@link #readForShare} or {@link #lock}. */
  public Tuple holder(List<@Nullable String> row) {
    return tuple(row.subList(0, index.holder().size()));
  }

  /** Whether a row of {@link #lock} has a token. */
  boolean pending(List<@Nullable String> row) {
    return index.gsi().covering() && row.get(index.holder().size()) != null;
  }

  /** The columns of a lookup table are NOT NULL. */
  private static Tuple tuple(List<@Nullable String> row) {
    return new Tuple(row.stream().map(String::valueOf).toList());
  }

  /** One row when the entry was added, none when there is one of its identity already. */
  public EntryStatement insert(Entry entry) {
    return EntryStatement.of(
        "INSERT INTO "
            + lookup
            + " ("
            + columns
            + pendingColumn()
            + ") VALUES ("
            + parameters(index.columns().size())
            + pendingValue()
            + ") ON CONFLICT ("
            + identity
            + ") DO NOTHING RETURNING 1",
        entry.row());
  }

  /** An entry is written with a token: until that is cleared its owner row is asked. */
  private String pendingColumn() {
    return index.gsi().covering() ? ", " + Gsi.PENDING : "";
  }

  private String pendingValue() {
    return index.gsi().covering() ? ", " + Identifiers.literal(token) : "";
  }

  private String settingPending(String value) {
    return index.gsi().covering() ? ", " + Gsi.PENDING + " = " + value : "";
  }

  /** Gives the identity's entry to another owner; the caller holds its row lock. */
  public EntryStatement takeOver(Entry entry) {
    return EntryStatement.of(
        "UPDATE "
            + lookup
            + " SET "
            + equal(index.columns(), ", ")
            + settingPending(Identifiers.literal(token))
            + " WHERE "
            + identityEquals
            + " RETURNING 1",
        entry.row());
  }

  /**
   * Gives the entry to another holder if it is there exactly so: one row when it was. It commits
   * after the rows, so the token goes.
   */
  public EntryStatement move(Entry from, Entry to) {
    List<IndexColumn> holder = index.holder();
    int first = index.columns().size();
    return EntryStatement.of(
        "UPDATE "
            + lookup
            + " SET "
            + equal(index.columns(), ", ")
            + settingPending("NULL")
            + " WHERE "
            + identityEquals
            + IntStream.range(0, holder.size())
                .mapToObj(i -> " AND " + holder.get(i).quoted() + " = $" + (first + i + 1))
                .collect(Collectors.joining())
            + " RETURNING 1",
        to.row().then(from.holder()));
  }

  /** Removes the entry if it is there exactly so: one row when it was. */
  public EntryStatement delete(Entry entry) {
    return EntryStatement.of(
        "DELETE FROM " + lookup + " WHERE " + all + " RETURNING 1", entry.row());
  }

  /** On an owner shard: one row when an owner row of this entry is visible. Locks nothing. */
  public EntryStatement owner(Entry entry) {
    return EntryStatement.of(selectOwner() + " LIMIT 1", entry.row());
  }

  /**
   * On an owner shard: waits until nobody is deleting the owner row of this entry or changing its
   * key; then one row when it is there. Where no unique index of the owner proves the key, its
   * change does not count as a change of a key in PostgreSQL either, and a weak lock would pass it.
   */
  public EntryStatement awaitOwner(Entry entry) {
    String lock = index.gsi().ownerPrimaryKey().isEmpty() ? " FOR KEY SHARE" : " FOR SHARE";
    return EntryStatement.of(selectOwner() + " LIMIT 1" + lock, entry.row());
  }

  /**
   * On an owner shard: one row when the owner row of this entry is there and nobody is deleting it
   * or changing its key; nobody begins to before this transaction ends. Waits for nobody.
   */
  EntryStatement quietOwner(Entry entry) {
    return EntryStatement.of(selectOwner() + " LIMIT 1 FOR SHARE SKIP LOCKED", entry.row());
  }

  private String selectOwner() {
    return "SELECT 1 FROM " + index.gsi().owner().quoted() + " WHERE " + all;
  }

  /** On the shard that an entry names: excludes every transaction that creates its owner row. */
  public EntryStatement excludeCreators(Tuple identity) {
    return EntryStatement.of(
        "SELECT pg_catalog.pg_advisory_xact_lock(" + index.keyLock(identity) + ")");
  }

  /**
   * In MAIN, at COMMIT: this transaction creates owner rows with keys of these locks, of any index.
   */
  public static EntryStatement shareKeyLocks(Collection<Long> locks) {
    return EntryStatement.of(
        "SELECT pg_catalog.count(pg_catalog.pg_advisory_xact_lock_shared(k))"
            + " FROM pg_catalog.unnest($1::bigint[]) AS k",
        locks.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}")));
  }

  /**
   * In MAIN on the lookup's own server: adds the entry of an owner row that this transaction sees.
   * One row: {@code added}, {@code kept} (it was there and is locked now), or {@code taken} (it
   * names another owner).
   *
   * @param lockTimeoutMillis 0 waits without limit
   */
  public EntryStatement addInMain(Entry entry, long lockTimeoutMillis) {
    return EntryStatement.of(
        "SELECT "
            + LookupDdl.addFunction(index)
            + "("
            + parameters(index.columns().size() + 1)
            + ")",
        entry.row().then(Tuple.of(Long.toString(lockTimeoutMillis))));
  }

  /**
   * In MAIN on the lookup's own server: removes an entry that this same transaction added, its
   * owner row being gone. One row: {@code t} when it did.
   */
  public EntryStatement undoInMain(Entry entry) {
    return EntryStatement.of(
        "SELECT " + LookupDdl.undoFunction(index) + "(" + parameters(index.columns().size()) + ")",
        entry.row());
  }

  // --- tokens of a covering index ----------------------------------------------------------------

  /**
   * The key's entry with what says whether it can answer: the read epoch, 1 while covering reads
   * are on, 1 when the entry has a token, then all its columns; NULLs for the last without entry.
   */
  public EntryStatement readCovering(Tuple key) {
    return EntryStatement.of(
        "SELECT e.last_value, c.last_value %% 2, l.* FROM %s e CROSS JOIN %s c LEFT JOIN (SELECT"
                .formatted(LookupDdl.readEpoch(index), LookupDdl.coveringSwitch(index))
            + " CASE WHEN %s IS NULL THEN 0 ELSE 1 END, %s FROM %s WHERE %s) l ON true"
                .formatted(Gsi.PENDING, columns, lookup, equal(index.key(), " AND ")),
        key);
  }

  /**
   * Marks entries whose owner rows are about to go or to change their keys, in a transaction that
   * commits at once: before that of the rows.
   */
  public EntryStatement mark(List<Entry> entries) {
    return many(
        "UPDATE %s AS l SET %s = %s FROM (%s) g WHERE %s"
            .formatted(
                lookup, Gsi.PENDING, Identifiers.literal(token), given(), matches(index.columns())),
        entries);
  }

  /** Takes this transaction's tokens off again. Passes over entries that others have locked. */
  public EntryStatement clear(List<Entry> entries) {
    return many(
        "UPDATE %1$s AS u SET %2$s = NULL WHERE u.ctid IN (SELECT l.ctid FROM %1$s AS l JOIN (%3$s) g"
                .formatted(lookup, Gsi.PENDING, given())
            + " ON %s WHERE l.%s = %s FOR NO KEY UPDATE OF l SKIP LOCKED)"
                .formatted(matches(index.columns()), Gsi.PENDING, Identifiers.literal(token)),
        entries);
  }

  /** Takes any token off; the caller holds the entry's lock and its quiet owner row. */
  EntryStatement clearAny(Tuple identity) {
    return EntryStatement.of(
        "UPDATE %s SET %s = NULL WHERE %s".formatted(lookup, Gsi.PENDING, identityEquals),
        identity);
  }

  // --- many at once ----------------------------------------------------------------------------

  /**
   * {@link #insert} for many entries of different identities, in their order: one row for each that
   * was added, its number from 1.
   */
  public EntryStatement insertAll(List<Entry> entries) {
    return many(
        "WITH g AS MATERIALIZED (%s), added AS (INSERT INTO %s (%s) SELECT %s FROM g ORDER BY pgc_n"
                .formatted(
                    given(),
                    lookup,
                    columns + pendingColumn(),
                    numbered(index.columns().size(), "") + pendingValue())
            + " ON CONFLICT (%s) DO NOTHING RETURNING %s)".formatted(identity, identity)
            + " SELECT g.pgc_n FROM g JOIN added l ON "
            + matches(index.identity()),
        entries);
  }

  /**
   * Locks those of the entries that are there exactly so, in their order, as {@link #lock} does:
   * one row for each, its number from 1.
   */
  public EntryStatement lockAll(List<Entry> entries) {
    int identities = index.identity().size();
    String holders =
        IntStream.range(0, index.holder().size())
            .mapToObj(
                i ->
                    " AND CAST(l.%s AS pg_catalog.text) = CAST(g.pgc_%d AS pg_catalog.text)"
                        .formatted(index.holder().get(i).quoted(), identities + i + 1))
            .collect(Collectors.joining());
    return many(
        "SELECT g.pgc_n FROM (%s) g JOIN %s l ON %s%s ORDER BY g.pgc_n FOR UPDATE OF l"
            .formatted(given(), lookup, matches(index.identity()), holders),
        entries);
  }

  /** {@link #delete} for many entries. */
  public EntryStatement deleteAll(List<Entry> entries) {
    return many(
        "DELETE FROM %s AS l USING (%s) g WHERE %s"
            .formatted(lookup, given(), matches(index.columns())),
        entries);
  }

  /** {@link #addInMain} for many entries, in their order: its answer for each. */
  public EntryStatement addAllInMain(List<Entry> entries, long lockTimeoutMillis) {
    return many(
        "SELECT %s(%s, %d) FROM (%s ORDER BY pgc_n OFFSET 0) g"
            .formatted(
                LookupDdl.addFunction(index),
                numbered(index.columns().size(), "g."),
                lockTimeoutMillis,
                given()),
        entries);
  }

  /** {@link #undoInMain} for many entries, in their order: its answer for each. */
  public EntryStatement undoAllInMain(List<Entry> entries) {
    return many(
        "SELECT %s(%s) FROM (%s ORDER BY pgc_n OFFSET 0) g"
            .formatted(
                LookupDdl.undoFunction(index), numbered(index.columns().size(), "g."), given()),
        entries);
  }

  /** The entries as rows: pgc_1 and so on in the order of the columns, then their number. */
  private String given() {
    List<IndexColumn> all = index.columns();
    return "SELECT * FROM ROWS FROM (%s) WITH ORDINALITY AS u(%s, pgc_n)"
        .formatted(
            IntStream.range(0, all.size())
                .mapToObj(
                    i ->
                        "pg_catalog.unnest(CAST($%d AS %s[]))"
                            .formatted(i + 1, all.get(i).sqlType()))
                .collect(Collectors.joining(", ")),
            numbered(all.size(), ""));
  }

  static String numbered(int count, String qualifier) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> qualifier + "pgc_" + i)
        .collect(Collectors.joining(", "));
  }

  /** Row l of the lookup table has the given values in the first columns. */
  static String matches(List<IndexColumn> first) {
    return IntStream.range(0, first.size())
        .mapToObj(i -> "l.%s = g.pgc_%d".formatted(first.get(i).quoted(), i + 1))
        .collect(Collectors.joining(" AND "));
  }

  private EntryStatement many(String text, List<Entry> entries) {
    List<Tuple> rows = entries.stream().map(Entry::row).toList();
    return new EntryStatement(
        text,
        IntStream.range(0, index.columns().size())
            .mapToObj(i -> ArrayText.of(rows.stream().map(row -> row.get(i)).toList()))
            .toList());
  }
}
