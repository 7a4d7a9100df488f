package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.invariant.CopyChecker;
import org.postgresql.PGConnection;

/**
 * Three shards with a table that owns two indexes in extended mode, whose columns are of many types
 * and whose rows a trigger may change or leave out; a table that refers to one of the indexes; a
 * reference table; and, on a connection of its own, one server's tables with the same names.
 */
final class CopyRig implements AutoCloseable {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "modulo", "columns": ["tenant_id"],
         "index_params": {"modulus": 6}}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "2"},
           {"shard_uid": "shard-b", "start": "2", "end": "4"},
           {"shard_uid": "shard-c", "start": "4"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {
           "by_code": {"schema": "public", "table": "items_by_code", "owner_table": "items",
             "columns": ["code"], "owner_pk_columns": ["item_id"], "unique": true,
             "gsi_mode": "extended"},
           "by_shade": {"schema": "public", "table": "items_by_shade", "owner_table": "items",
             "columns": ["shade"], "owner_pk_columns": ["item_id"], "unique": false,
             "ignore_null": true, "gsi_mode": "extended"}},
         "schemas": {"public": {
           "tables": {
             "items": {"shard_group": "data", "secondary_indexes": [
               {"name": "by_code", "columns": ["code"]},
               {"name": "by_shade", "columns": ["shade"]}]},
             "orders": {"shard_group": "data", "secondary_indexes": [
               {"name": "by_code", "columns": ["item_code"]}]},
             "items_by_code": {"shard_group": "meta"},
             "items_by_shade": {"shard_group": "meta"}},
           "reference_tables": {"rates": {"shard_groups": ["data"]}}}}}}}
      """;

  /** Leaves out rows named skip, and writes the shade that it is told to. */
  private static final String TRIGGER =
      """
      CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF new.note = 'skip' THEN RETURN NULL; END IF;
        IF new.note LIKE 'shade %' THEN new.shade := substr(new.note, 7); END IF;
        RETURN new;
      END $$""";

  private static final String FIRES =
      "CREATE TRIGGER touch BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION touched()";

  private static final List<String> TYPES =
      List.of(
          "CREATE DOMAIN some_text AS varchar(6) NOT NULL CHECK (VALUE <> 'bad')",
          "CREATE TYPE mood AS ENUM ('fine', 'so so')",
          "CREATE TYPE pair AS (a int, b text)",
          TRIGGER);

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE items (tenant_id int, item_id bigint, code varchar(8) NOT NULL,"
              + " shade char(3), label some_text DEFAULT 'none', price numeric(6, 2) DEFAULT 1.5,"
              + " made timestamptz(0) DEFAULT '2020-02-02 UTC', tags varchar(4)[], doc jsonb,"
              + " feeling mood, flags bit(3), span interval, raw bytea, both_parts pair,"
              + " loud text GENERATED ALWAYS AS (upper(note)) STORED, note text,"
              + " PRIMARY KEY (tenant_id, item_id), CHECK (price < 900))",
          "CREATE TABLE orders (tenant_id int, order_id bigint, item_code varchar(8), PRIMARY KEY"
              + " (tenant_id, order_id))",
          "CREATE TABLE rates (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code char(2)"
              + " NOT NULL, rate double precision DEFAULT 2, label some_text DEFAULT 'none', note"
              + " text, twice float8 GENERATED ALWAYS AS (rate * 2) STORED, UNIQUE (code, note))",
          FIRES);

  /** As {@code COPY items} without a list has them. */
  static final String COLUMNS =
      "tenant_id, item_id, code, shade, label, price, made, tags, doc, feeling, flags, span, raw,"
          + " both_parts, note";

  final DeclaredRouter router;
  final List<ShardId> shards;

  /** One server's tables, in which all values of an index stand beside each other. */
  final Connection plain;

  CopyRig() throws SQLException {
    List<String> ddl = new ArrayList<>(TYPES);
    ddl.addAll(TABLES);
    router = new DeclaredRouter(3, DOCUMENT, ddl);
    shards = router.cluster.shards();
    plain = router.cluster.asSuperuser(shards.get(0));
    for (String each : TABLES) {
      DeclaredRouter.rows(plain, each.replace("CREATE TABLE", "CREATE TEMP TABLE"));
    }
    DeclaredRouter.rows(plain, "ALTER TABLE items ADD UNIQUE (code)");
    DeclaredRouter.rows(
        plain, "ALTER TABLE orders ADD FOREIGN KEY (item_code) REFERENCES items (code)");
  }

  void empty() throws SQLException {
    for (ShardId shard : shards) {
      router.direct(shard, "TRUNCATE items, orders, rates RESTART IDENTITY");
    }
    DeclaredRouter.rows(plain, "TRUNCATE items, orders, rates RESTART IDENTITY");
    try (Connection admin = router.cluster.asSuperuser(shards.get(0))) {
      DeclaredRouter.rows(admin, "TRUNCATE items_by_code, items_by_shade");
    }
  }

  /** All rows of the table over the shards, past the router, sorted. */
  List<String> stored(String table) throws SQLException {
    List<String> all = new ArrayList<>();
    for (ShardId shard : shards) {
      all.addAll(router.direct(shard, "SELECT t::text FROM public.%s t".formatted(table)));
    }
    return all.stream().sorted().toList();
  }

  /** The same of the one server. */
  List<String> expected(String table) throws SQLException {
    return DeclaredRouter.rows(plain, "SELECT t::text FROM %s t".formatted(table)).stream()
        .sorted()
        .toList();
  }

  /** Every row has its entries and every entry its row, and every row is on its shard. */
  void indexesAreTrue(String what) throws SQLException {
    assertThat(router.violations()).as(what).isEmpty();
    for (int shard = 0; shard < 3; shard++) {
      assertThat(
              router.direct(
                  shards.get(shard),
                  "SELECT item_id FROM items WHERE tenant_id %% 6 / 2 <> %d".formatted(shard)))
          .as(what)
          .isEmpty();
    }
  }

  void copiesAreEqual(String what) throws SQLException {
    assertThat(
            new CopyChecker(new TableName("public", "rates"), shards, router.cluster::asOwner)
                .violations(Set.of()))
        .as(what)
        .isEmpty();
  }

  /** Rows for {@code COPY items (tenant_id, item_id, code, note)} in text format. */
  static byte[] items(int from, int to) {
    StringBuilder data = new StringBuilder();
    IntStream.range(from, to)
        .forEach(i -> data.append("%d\t%d\tc%d\tn%d\n".formatted(i % 6, i, i, i % 10)));
    return data.toString().getBytes(StandardCharsets.UTF_8);
  }

  static long in(Connection client, String sql, byte[] data) throws SQLException, IOException {
    return client
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(sql, new ByteArrayInputStream(data), 7_000);
  }

  /** The number of rows, or the SQLSTATE. */
  static String attempt(Connection client, String sql, byte[] data) throws IOException {
    try {
      return Long.toString(in(client, sql, data));
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }

  @Override
  public void close() {
    try {
      plain.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    } finally {
      router.close();
    }
  }
}
