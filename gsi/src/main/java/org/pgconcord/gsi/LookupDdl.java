package org.pgconcord.gsi;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;

/**
 * What an index needs on its lookup table's shard: the table, its read epoch, and the two functions
 * that a client's own transaction may call. Run as the service role, which then owns all of it.
 *
 * <h2>Why the functions can be open to everybody</h2>
 *
 * Clients have no grant on a lookup table, yet where an owner row and its entry live on one server
 * the entry is to commit with the row, in the client's transaction. The functions run with the
 * service role's rights (row security of the owner table would hide other tenants' rows from the
 * client's role, and a hidden row looks like a missing one), with a fixed search_path, and believe
 * nothing that they are told:
 *
 * <ul>
 *   <li><i>add</i> first finds the owner row in the caller's own transaction. So nobody gets an
 *       entry without the row, which only somebody with rights on the owner table can make. It
 *       never repoints: whether another owner is gone can be decided only by {@link Settlement}, on
 *       other backends. A key that is taken is reported without saying by whom, and its entry is
 *       not locked, since settling it needs that lock.
 *   <li><i>undo</i> removes only an entry whose last change is the caller's own transaction's and
 *       whose owner row is not there any more. Under a savepoint the entry's xmin is that of a
 *       subtransaction: what is visible here and yet in progress is the caller's own. "Not there"
 *       alone would not do: the row of another tenant is usually on another server, and a
 *       REPEATABLE READ snapshot is blind to new rows.
 * </ul>
 *
 * Removing an entry that was committed earlier is therefore not offered here. It goes through POST
 * as on any other server: a crash between MAIN's commit and POST's leaves surplus, which is
 * settled, and a proof that a committed row was deleted by the calling transaction does not exist
 * in SQL.
 *
 * <p>Keeping an existing entry is a real update, not only a row lock: a REPEATABLE READ transaction
 * with an older snapshot that wants the entry then fails with 40001 instead of deciding on the
 * past.
 */
public final class LookupDdl {
  private static final String SCHEMA = "pgconcord";

  private LookupDdl() {}

  /**
   * The lookup table: the index's columns, each of its own type and collation, of a domain the type
   * beneath: its shard may not have the domain, and what is written there has passed it.
   */
  public static List<String> createTable(LookupIndex index) {
    String table = index.gsi().lookup().quoted();
    return List.of(
        "CREATE TABLE IF NOT EXISTS "
            + table
            + " ("
            + each(index.columns(), c -> columnDefinition(c.column()) + ", ", "")
            + (index.gsi().covering() ? Gsi.PENDING + " text, " : "")
            + "PRIMARY KEY ("
            + each(index.identity(), IndexColumn::quoted, ", ")
            + "))",
        "REVOKE ALL ON " + table + " FROM PUBLIC");
  }

  private static String columnDefinition(Column column) {
    return Identifiers.quote(column.name())
        + " "
        + column.base().type()
        + collate(column.collation())
        + " NOT NULL";
  }

  private static String collate(@Nullable String collation) {
    if (collation == null || collation.equals("default")) {
      return "";
    }
    int dot = collation.indexOf('.');
    String schema = dot > 0 ? collation.substring(0, dot) : "pg_catalog";
    return " COLLATE "
        + Identifiers.quote(schema)
        + "."
        + Identifiers.quote(collation.substring(dot + 1));
  }

  /**
   * What an index that has become covering needs beside: the column of tokens, in a lookup table
   * that was made without it, and the switch. May run again at any time.
   */
  public static List<String> createCovering(LookupIndex index) {
    return index.gsi().covering()
        ? List.of(
            "ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s text"
                .formatted(index.gsi().lookup().quoted(), Gsi.PENDING),
            "CREATE SEQUENCE IF NOT EXISTS " + coveringSwitch(index) + " MINVALUE 0 START 0")
        : List.of();
  }

  /** Whether a lookup table that exists lacks what {@link #createCovering} makes: one boolean. */
  public static String lacksCovering(LookupIndex index) {
    return "SELECT to_regclass(%s) IS NULL OR NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = '%s' AND NOT attisdropped)"
        .formatted(
            Identifiers.literal(coveringSwitch(index)),
            Identifiers.literal(index.gsi().lookup().quoted()),
            Gsi.PENDING);
  }

  /** The read epoch and the functions; may run again at any time. */
  public static List<String> createFunctions(LookupIndex index) {
    return List.of(
        "CREATE SEQUENCE IF NOT EXISTS " + readEpoch(index) + " MINVALUE 0 START 0",
        "GRANT USAGE ON SCHEMA " + SCHEMA + " TO PUBLIC",
        addFunctionText(index),
        "GRANT EXECUTE ON FUNCTION " + addSignature(index) + " TO PUBLIC",
        undoFunctionText(index),
        "GRANT EXECUTE ON FUNCTION " + undoSignature(index) + " TO PUBLIC");
  }

  /** Everything of the index but its table. */
  public static List<String> dropFunctions(LookupIndex index) {
    return List.of(
        "DROP FUNCTION IF EXISTS " + addSignature(index),
        "DROP FUNCTION IF EXISTS " + undoSignature(index),
        "DROP SEQUENCE IF EXISTS " + coveringSwitch(index),
        "DROP SEQUENCE IF EXISTS " + readEpoch(index));
  }

  public static String dropTable(LookupIndex index) {
    return "DROP TABLE IF EXISTS " + index.gsi().lookup().quoted();
  }

  /**
   * Raises the read epoch; never lowers it. Done before any router stops maintaining, so that a
   * plan of the older epoch is not answered from entries that nobody keeps.
   */
  public static String raiseReadEpoch(LookupIndex index, long epoch) {
    String sequence = readEpoch(index);
    return "SELECT setval("
        + Identifiers.literal(sequence)
        + ", greatest("
        + epoch
        + ", (SELECT last_value FROM "
        + sequence
        + ")))";
  }

  static String readEpoch(LookupIndex index) {
    return named("read_epoch_", index);
  }

  /** Odd while covering reads are on; only ever raised. */
  static String coveringSwitch(LookupIndex index) {
    return named("covering_", index);
  }

  static String addFunction(LookupIndex index) {
    return named("entry_add_", index);
  }

  static String undoFunction(LookupIndex index) {
    return named("entry_undo_", index);
  }

  /** A name within PostgreSQL's 63 bytes; a longer one is cut and told apart by a hash. */
  private static String named(String prefix, LookupIndex index) {
    String name = prefix + index.name().name();
    if (name.getBytes(StandardCharsets.UTF_8).length > 63) {
      String hash = "_" + Integer.toHexString(index.name().name().hashCode());
      int end = name.length();
      while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > 63 - hash.length()) {
        end = name.offsetByCodePoints(end, -1);
      }
      name = name.substring(0, end) + hash;
    }
    return SCHEMA + "." + Identifiers.quote(name);
  }

  private static String addSignature(LookupIndex index) {
    return addFunction(index) + "(" + types(index) + ", bigint)";
  }

  private static String undoSignature(LookupIndex index) {
    return undoFunction(index) + "(" + types(index) + ")";
  }

  private static String types(LookupIndex index) {
    return each(index.columns(), IndexColumn::sqlType, ", ");
  }

  private static String addFunctionText(LookupIndex index) {
    return fill(
        index,
        """
        CREATE OR REPLACE FUNCTION %signature(%parameters, pgc_wait bigint)
        RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET lock_timeout = 0 AS $entry$
        BEGIN
          PERFORM set_config('lock_timeout', pgc_wait::text, true);
          IF NOT EXISTS (SELECT FROM %owner t WHERE %matches) THEN
            RAISE insufficient_privilege USING MESSAGE =
              'this transaction sees no row that owns the entry';
          END IF;
          INSERT INTO %lookup (%columns) VALUES (%values) ON CONFLICT (%identity) DO NOTHING;
          IF FOUND THEN RETURN 'added'; END IF;
          UPDATE %lookup t SET %assignments WHERE %matches;
          IF FOUND THEN RETURN 'kept'; END IF;
          RETURN 'taken';
        END $entry$""",
        addFunction(index));
  }

  private static String undoFunctionText(LookupIndex index) {
    return fill(
        index,
        """
        CREATE OR REPLACE FUNCTION %signature(%parameters)
        RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp AS $entry$
        DECLARE pgc_top bigint := pg_current_xact_id()::text::bigint;
        BEGIN
          DELETE FROM %lookup t WHERE %matches
            AND CASE
              WHEN (t.xmin::text::bigint - pgc_top) & 4294967295 > 2147483647 THEN false
              ELSE pg_xact_status(
                (pgc_top + ((t.xmin::text::bigint - pgc_top) & 4294967295))::text::xid8)
                = 'in progress'
              END
            AND NOT EXISTS (SELECT FROM %owner t WHERE %matches);
          RETURN FOUND;
        END $entry$""",
        undoFunction(index));
  }

  /** The parameters are named pgc_1 and so on, in the order of the columns. */
  private static String fill(LookupIndex index, String template, String signature) {
    List<IndexColumn> columns = index.columns();
    return template
        .replace("%signature", signature)
        .replace("%parameters", numbered(columns, (c, n) -> n + " " + c.sqlType(), ", "))
        .replace("%values", numbered(columns, (c, n) -> n, ", "))
        .replace("%assignments", numbered(columns, (c, n) -> c.quoted() + " = " + n, ", "))
        .replace("%matches", numbered(columns, (c, n) -> "t." + c.quoted() + " = " + n, " AND "))
        .replace("%columns", each(columns, IndexColumn::quoted, ", "))
        .replace("%identity", each(index.identity(), IndexColumn::quoted, ", "))
        .replace("%lookup", index.gsi().lookup().quoted())
        .replace("%owner", index.gsi().owner().quoted());
  }

  private static String each(
      List<IndexColumn> columns, Function<IndexColumn, String> text, String between) {
    return columns.stream().map(text).collect(Collectors.joining(between));
  }

  private static String numbered(
      List<IndexColumn> columns, BiFunction<IndexColumn, String, String> text, String between) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> text.apply(columns.get(i), "pgc_" + (i + 1)))
        .collect(Collectors.joining(between));
  }
}
