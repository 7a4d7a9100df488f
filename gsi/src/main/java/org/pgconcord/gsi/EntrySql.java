package org.pgconcord.gsi;

import org.pgconcord.config.value.Identifiers;

/**
 * Every statement about single entries of one index. All of them run as the service role, but for
 * {@link #addInMain}, {@link #undoInMain} and {@link #shareKeyLock}, which run in the client's own
 * transaction. Keys and shard keys are compared as the columns' types compare, which is what the
 * lookup table's primary key and the owner's unique index do as well.
 */
public final class EntrySql {
  private final LookupIndex index;
  private final String lookup;
  private final String owner;
  private final String key;
  private final String shardKey;

  public EntrySql(LookupIndex index) {
    this.index = index;
    this.lookup = index.gsi().lookup().quoted();
    this.owner = index.gsi().owner().quoted();
    this.key = Identifiers.quote(index.keyColumn().name());
    this.shardKey = Identifiers.quote(index.shardKeyColumn().name());
  }

  /** One row: the read epoch, and the shard key of the entry or NULL when there is none. */
  public EntryStatement readWithEpoch(String keyText) {
    return EntryStatement.of(
        "SELECT (SELECT last_value FROM "
            + LookupDdl.readEpoch(index)
            + "), (SELECT "
            + shardKey
            + " FROM "
            + lookup
            + " WHERE "
            + key
            + " = $1)",
        keyText);
  }

  /** The entry's shard key; no row without entry. Waits for nobody. */
  public EntryStatement read(String keyText) {
    return EntryStatement.of(select(), keyText);
  }

  /**
   * The entry's shard key, locked so that nobody changes it before this transaction ends. The lock
   * also waits for a change that is under way, in POST or in a prepared transaction.
   */
  public EntryStatement readForShare(String keyText) {
    return EntryStatement.of(select() + " FOR SHARE", keyText);
  }

  /** The entry's shard key, locked for a change. */
  public EntryStatement lock(String keyText) {
    return EntryStatement.of(select() + " FOR UPDATE", keyText);
  }

  private String select() {
    return "SELECT " + shardKey + " FROM " + lookup + " WHERE " + key + " = $1";
  }

  /** One row when the entry was added, none when the key has an entry already. */
  public EntryStatement insert(Entry entry) {
    return EntryStatement.of(
        "INSERT INTO "
            + lookup
            + " ("
            + key
            + ", "
            + shardKey
            + ") VALUES ($1, $2) ON CONFLICT ("
            + key
            + ") DO NOTHING RETURNING 1",
        entry.key(),
        entry.shardKey());
  }

  /** Gives the key's entry to another owner; the caller holds its row lock. */
  public EntryStatement takeOver(Entry entry) {
    return EntryStatement.of(
        "UPDATE "
            + lookup
            + " SET "
            + key
            + " = $1, "
            + shardKey
            + " = $2 WHERE "
            + key
            + " = $1 RETURNING 1",
        entry.key(),
        entry.shardKey());
  }

  /** Removes the entry if it still names this shard key: one row when it did. */
  public EntryStatement delete(Entry entry) {
    return EntryStatement.of(
        "DELETE FROM " + lookup + " WHERE " + key + " = $1 AND " + shardKey + " = $2 RETURNING 1",
        entry.key(),
        entry.shardKey());
  }

  /** On an owner shard: one row when an owner row of this entry is visible. Locks nothing. */
  public EntryStatement owner(Entry entry) {
    return EntryStatement.of(selectOwner() + " LIMIT 1", entry.key(), entry.shardKey());
  }

  /**
   * On an owner shard: waits until nobody is deleting the owner row of this entry or changing its
   * key; then one row when it is there.
   */
  public EntryStatement awaitOwner(Entry entry) {
    return EntryStatement.of(
        selectOwner() + " LIMIT 1 FOR KEY SHARE", entry.key(), entry.shardKey());
  }

  private String selectOwner() {
    return "SELECT 1 FROM " + owner + " WHERE " + key + " = $1 AND " + shardKey + " = $2";
  }

  /** On the shard that an entry names: excludes every transaction that creates its owner row. */
  public EntryStatement excludeCreators(String keyText) {
    return EntryStatement.of(
        "SELECT pg_catalog.pg_advisory_xact_lock(" + index.keyLock(keyText) + ")");
  }

  /** In MAIN, at COMMIT: this transaction creates an owner row with the key. */
  public EntryStatement shareKeyLock(String keyText) {
    return EntryStatement.of(
        "SELECT pg_catalog.pg_advisory_xact_lock_shared(" + index.keyLock(keyText) + ")");
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
        "SELECT " + LookupDdl.addFunction(index) + "($1, $2, $3)",
        entry.key(),
        entry.shardKey(),
        Long.toString(lockTimeoutMillis));
  }

  /**
   * In MAIN on the lookup's own server: removes an entry that this same transaction added, its
   * owner row being gone. One row: {@code t} when it did.
   */
  public EntryStatement undoInMain(Entry entry) {
    return EntryStatement.of(
        "SELECT " + LookupDdl.undoFunction(index) + "($1, $2)", entry.key(), entry.shardKey());
  }
}
