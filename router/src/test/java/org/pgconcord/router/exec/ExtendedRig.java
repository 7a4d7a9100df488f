package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Three shards with a table that owns four indexes in extended mode: two unique ones that store the
 * primary key, so that the shards need no unique index of their own, one of them of two columns,
 * one that is not unique and ignores NULL, and one over a generated column; and a table with one
 * strict and one extended index, which refers to the third by its town.
 */
final class ExtendedRig implements AutoCloseable {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {
           "by_email": {"schema": "public", "table": "users_by_email", "owner_table": "users",
             "columns": ["email"], "owner_pk_columns": ["user_id"], "unique": true,
             "gsi_mode": "extended"},
           "by_seat": {"schema": "public", "table": "users_by_seat", "owner_table": "users",
             "columns": ["floor", "seat"], "owner_pk_columns": ["user_id"], "unique": true,
             "ignore_null": true, "gsi_mode": "extended"},
           "by_city": {"schema": "public", "table": "users_by_city", "owner_table": "users",
             "columns": ["city"], "owner_pk_columns": ["user_id"], "unique": false,
             "ignore_null": true, "gsi_mode": "extended"},
           "by_loud": {"schema": "public", "table": "users_by_loud", "owner_table": "users",
             "columns": ["loud"], "owner_pk_columns": ["user_id"], "unique": false,
             "ignore_null": true, "gsi_mode": "extended"},
           "by_mail": {"schema": "public", "table": "people_by_mail", "owner_table": "people",
             "columns": ["mail"], "unique": true},
           "by_phone": {"schema": "public", "table": "people_by_phone", "owner_table": "people",
             "columns": ["phone"], "unique": true, "ignore_null": true, "gsi_mode": "extended"}},
         "schemas": {"public": {
           "reference_tables": {"countries": {"shard_groups": ["data"]}},
           "tables": {
           "users": {"shard_group": "data", "secondary_indexes": [
             {"name": "by_email", "columns": ["email"]},
             {"name": "by_seat", "columns": ["floor", "seat"]},
             {"name": "by_city", "columns": ["city"]},
             {"name": "by_loud", "columns": ["loud"]}]},
           "people": {"shard_group": "data", "secondary_indexes": [
             {"name": "by_mail", "columns": ["mail"]},
             {"name": "by_phone", "columns": ["phone"]},
             {"name": "by_city", "columns": ["town"]}]},
           "orders": {"shard_group": "data"},
           "users_by_email": {"shard_group": "meta"},
           "users_by_seat": {"shard_group": "meta"},
           "users_by_city": {"shard_group": "meta"},
           "users_by_loud": {"shard_group": "meta"},
           "people_by_mail": {"shard_group": "meta"},
           "people_by_phone": {"shard_group": "meta"}}}}}}}
      """;

  /** The columns of users; the shards have no unique index that would look at rows one by one. */
  static final String USERS =
      "(tenant_id bigint NOT NULL, user_id bigint NOT NULL, email text DEFAULT 'none' NOT NULL,"
          + " floor int, seat text, city text, name text, loud text GENERATED ALWAYS AS"
          + " (upper(name)) STORED, PRIMARY KEY (tenant_id, user_id))";

  private static final List<String> DDL =
      List.of(
          "CREATE TABLE users " + USERS,
          "CREATE INDEX ON users (email)",
          "CREATE TABLE people (tenant_id bigint, person_id bigint, mail text NOT NULL, phone text,"
              + " name text, town text, PRIMARY KEY (tenant_id, person_id), UNIQUE (tenant_id, mail),"
              + " UNIQUE (tenant_id, phone))",
          "CREATE TABLE orders (tenant_id bigint, order_id bigint, label text,"
              + " PRIMARY KEY (tenant_id, order_id))",
          "CREATE TABLE countries (code text PRIMARY KEY, name text)",
          "INSERT INTO countries VALUES ('FI', 'Finland'), ('FR', 'France')");

  final DeclaredRouter router;
  final List<ShardId> shards;
  private final Placement.Sharded placement;

  ExtendedRig() throws SQLException {
    router = new DeclaredRouter(3, DOCUMENT, DDL);
    shards = router.cluster.shards();
    placement =
        (Placement.Sharded)
            router
                .epochs
                .current()
                .topology()
                .database("app")
                .orElseThrow()
                .placement(new TableName("public", "users"));
  }

  /** The {@code ordinal}th tenant, from 0, whose rows are on the shard. */
  long tenant(int shard, int ordinal) {
    var locator =
        new org.pgconcord.config.sharding.ShardLocator(
            placement.group(),
            placement.index(),
            List.of(org.pgconcord.config.sharding.KeyType.INT));
    return IntStream.iterate(1, t -> t + 1)
        .filter(t -> locator.locate(Integer.toString(t)).equals(shards.get(shard)))
        .skip(ordinal)
        .findFirst()
        .orElseThrow();
  }

  void empty() throws SQLException {
    for (ShardId shard : shards) {
      router.direct(shard, "TRUNCATE users, people, orders");
    }
    try (Connection admin = router.cluster.asSuperuser(shards.get(0))) {
      DeclaredRouter.rows(
          admin,
          "TRUNCATE users_by_email, users_by_seat, users_by_city, users_by_loud, people_by_mail,"
              + " people_by_phone");
    }
  }

  /** Every row has its entries, every entry its row. */
  void entriesAreTrue(String what) throws SQLException {
    assertThat(router.violations()).as(what).isEmpty();
  }

  /** All rows of a query, over all shards, past the router. */
  List<String> everywhere(String sql) throws SQLException {
    List<String> all = new ArrayList<>();
    for (ShardId shard : shards) {
      all.addAll(router.direct(shard, sql));
    }
    return all;
  }

  @Override
  public void close() {
    router.close();
  }
}
