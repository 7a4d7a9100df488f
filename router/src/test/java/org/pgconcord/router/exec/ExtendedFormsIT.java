package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Forms of writes on owners of indexes in extended mode. */
class ExtendedFormsIT {
  private static ExtendedRig rig;

  @BeforeAll
  static void start() throws SQLException {
    rig = new ExtendedRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    rig.empty();
  }

  @Test
  void rowsDeletedThroughAJoinLoseTheirEntries() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      for (int shard = 0; shard < 3; shard++) {
        long tenant = rig.tenant(shard, 0);
        DeclaredRouter.rows(
            client,
            "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%1$d, 1, 'a%1$d', 'n'), (%1$d, 2, 'b%1$d', 'n')"
                .formatted(tenant));
        DeclaredRouter.rows(client, "INSERT INTO orders VALUES (%d, 1, 'x')".formatted(tenant));
      }
      assertThat(
              DeclaredRouter.rows(
                  client,
                  "DELETE FROM users u USING orders o WHERE o.tenant_id = u.tenant_id AND o.order_id ="
                      + " u.user_id RETURNING o.label"))
          .hasSize(3);
      assertThat(rig.everywhere("SELECT email FROM users")).hasSize(3);
      rig.entriesAreTrue("after DELETE ... USING");
    }
  }

  /** Indexed columns from joined rows, moves between tenants' keys among them. */
  @Test
  void keysAreUpdatedFromJoinedRows() throws SQLException {
    try (Connection client = rig.router.connect("extended");
        Connection plain = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      DeclaredRouter.rows(plain, "CREATE TEMP TABLE users " + ExtendedRig.USERS);
      DeclaredRouter.rows(
          plain, "CREATE TEMP TABLE orders (tenant_id bigint, order_id bigint, label text)");
      for (int shard = 0; shard < 3; shard++) {
        for (int i = 0; i < 2; i++) {
          long tenant = rig.tenant(shard, i);
          for (Connection each : List.of(client, plain)) {
            for (int user = 1; user <= 3; user++) {
              DeclaredRouter.rows(
                  each,
                  "INSERT INTO users (tenant_id, user_id, email, city, name) VALUES (%1$d, %2$d, 'e%1$d-%2$d', 'FI', 'n')"
                      .formatted(tenant, user));
              DeclaredRouter.rows(
                  each,
                  "INSERT INTO orders VALUES (%1$d, %2$d, 'l%1$d-%2$d')".formatted(tenant, user));
            }
          }
        }
      }
      long one = rig.tenant(1, 0);
      for (String sql :
          List.of(
              "UPDATE users u SET email = o.label, city = countries.name FROM orders o, countries WHERE o.tenant_id = u.tenant_id AND o.order_id = u.user_id AND countries.code = u.city AND u.user_id < 3 RETURNING u.email, o.order_id, countries.code",
              "UPDATE users SET email = orders.label || 'x', floor = 1, seat = orders.label FROM orders WHERE users.tenant_id = "
                  + one
                  + " AND orders.tenant_id = users.tenant_id AND orders.order_id = users.user_id",
              "UPDATE users u SET name = o.label, floor = (u.city IS DISTINCT FROM 'x')::int FROM orders o WHERE o.tenant_id = u.tenant_id AND o.order_id = u.user_id AND o.order_id > 1 RETURNING u.loud, u.floor",
              "UPDATE users u SET email = 'several' || u.tenant_id FROM orders o WHERE o.tenant_id = u.tenant_id AND u.user_id = 1",
              "UPDATE users u SET email = 'gone' FROM orders o WHERE o.tenant_id = u.tenant_id AND o.order_id = 77")) {
        assertThat(sorted(client, sql)).as(sql).isEqualTo(sorted(plain, sql));
        assertThat(rig.everywhere("SELECT u::text FROM public.users u").stream().sorted().toList())
            .as(sql)
            .isEqualTo(sorted(plain, "SELECT u::text FROM users u"));
        rig.entriesAreTrue(sql);
      }
      SQLException twice =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  DeclaredRouter.rows(
                      client,
                      "UPDATE users u SET email = 'one' FROM orders o WHERE o.tenant_id = u.tenant_id AND o.order_id = u.user_id"));
      assertThat(twice.getSQLState()).isEqualTo("23505");
      rig.entriesAreTrue("after a duplicate");
    }
  }

  /** Rows computed over all shards: the last one of each key wins nothing, a taken key fails. */
  @Test
  void gatheredRowsGetTheirEntries() throws SQLException {
    for (String mode : List.of("simple", "extended")) {
      rig.empty();
      try (Connection client = rig.router.connect(mode)) {
        for (int shard = 0; shard < 3; shard++) {
          DeclaredRouter.rows(
              client,
              "INSERT INTO orders SELECT %d, i, 'o' || i FROM generate_series(1, 500) i"
                  .formatted(rig.tenant(shard, 0)));
        }
        assertThat(
                DeclaredRouter.rows(
                    client,
                    "INSERT INTO users (email, tenant_id, user_id, city, name) SELECT tenant_id || label, "
                        + rig.tenant(0, 1)
                        + " + order_id % 20, order_id * 10 + tenant_id % 10, nullif(label, 'o5'), label FROM"
                        + " orders ORDER BY order_id, tenant_id RETURNING name"))
            .hasSize(1_500)
            .startsWith("o1", "o1", "o1", "o2");
        assertThat(rig.everywhere("SELECT 1 FROM public.users")).hasSize(1_500);
        rig.entriesAreTrue("gathered, " + mode);
        SQLException taken =
            catchThrowableOfType(
                SQLException.class,
                () ->
                    DeclaredRouter.rows(
                        client,
                        "INSERT INTO users (tenant_id, user_id, email) SELECT tenant_id + 1, 9000 + user_id, email"
                            + " FROM users LIMIT 3"));
        assertThat(taken.getSQLState()).isEqualTo("23505");
        assertThat(rig.everywhere("SELECT 1 FROM public.users")).hasSize(1_500);
        rig.entriesAreTrue("after a taken key, " + mode);
      }
    }
  }

  /**
   * What strict mode refuses, and its twin in extended mode.
   *
   * @param code of the refusal
   * @param strict a statement on people, whose index is strict
   * @param extended the same on users, whose indexes are not
   * @param rows how many it changes
   */
  private record Twin(String code, String strict, String extended, int rows) {}

  private static List<Twin> twins() {
    String one = " WHERE tenant_id = " + rig.tenant(1, 0);
    String person = one + " AND person_id = 1";
    String user = one + " AND user_id = 1";
    String key = "write/declared-column";
    return List.of(
        new Twin(
            "write/through-gsi",
            "UPDATE people SET name = 'x' WHERE mail = 'k0'",
            "UPDATE users SET name = 'x' WHERE email = 'k0'",
            1),
        new Twin(
            "write/through-gsi",
            "DELETE FROM people WHERE mail = 'k1'",
            "DELETE FROM users WHERE email = 'k1'",
            1),
        new Twin(
            key,
            "UPDATE people SET mail = mail || 'x'",
            "UPDATE users SET email = email || 'x', seat = email, floor = 1",
            3),
        new Twin(
            key,
            "UPDATE people SET mail = 'q', name = 'y'" + person,
            "UPDATE users SET email = 'q', name = 'y'" + user,
            1),
        new Twin(
            key,
            "UPDATE people SET mail = 'a', phone = 'b'" + person,
            "UPDATE users SET email = 'a', city = 'b'" + user,
            1),
        new Twin(
            key,
            "UPDATE people SET mail = DEFAULT" + person,
            "UPDATE users SET email = DEFAULT" + user,
            1),
        new Twin(
            key,
            "UPDATE people SET mail = (SELECT max(name) FROM countries)" + person,
            "UPDATE users SET email = (SELECT max(name) FROM countries)" + user,
            1),
        new Twin(
            "write/update-from",
            "UPDATE people SET mail = c.code FROM countries c" + person + " AND c.code = 'FI'",
            "UPDATE users SET email = c.code FROM countries c" + user + " AND c.code = 'FI'",
            1),
        new Twin(
            "write/delete-using",
            "DELETE FROM people USING countries c" + person + " AND c.code = 'FI'",
            "DELETE FROM users USING countries c" + user + " AND c.code = 'FI'",
            1),
        new Twin(
            "write/gsi-column-missing",
            "INSERT INTO people (tenant_id, person_id) VALUES (%d, 9)".formatted(rig.tenant(0, 1)),
            "INSERT INTO users (tenant_id, user_id) VALUES (%d, 9)".formatted(rig.tenant(0, 1)),
            1));
  }

  @Test
  void whatStrictModeRefusesIsDone() throws SQLException {
    try (Connection client = rig.router.connect("simple");
        Statement statement = client.createStatement()) {
      for (Twin twin : twins()) {
        rig.empty();
        for (int i = 0; i < 3; i++) {
          String row = "(%d, 1, 'k%d', 'n')".formatted(rig.tenant(i, 0), i);
          statement.execute("INSERT INTO people (tenant_id, person_id, mail, name) VALUES " + row);
          statement.execute("INSERT INTO users (tenant_id, user_id, email, name) VALUES " + row);
        }
        PSQLException refused =
            catchThrowableOfType(PSQLException.class, () -> statement.execute(twin.strict()));
        assertThat(refused.getSQLState()).as(twin.strict()).isEqualTo("0A000");
        assertThat(refused.getMessage()).as(twin.strict()).contains(twin.code());
        assertThat(refused.getServerErrorMessage().getHint()).as(twin.strict()).isNotBlank();
        assertThat(statement.executeUpdate(twin.extended()))
            .as(twin.extended())
            .isEqualTo(twin.rows());
        rig.entriesAreTrue(twin.extended());
      }
    }
  }

  private static List<String> sorted(Connection connection, String sql) throws SQLException {
    return DeclaredRouter.rows(connection, sql).stream().sorted().toList();
  }

  /** A generated column that is indexed changes with the columns it is made of. */
  @Test
  void anUpsertThatChangesAGeneratedKeyIsRefused() throws SQLException {
    String insert =
        "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 1, '%s', 'n') ON CONFLICT %s";
    try (Connection client = rig.router.connect("simple")) {
      long tenant = rig.tenant(1, 0);
      DeclaredRouter.rows(client, insert.formatted(tenant, "a", "DO NOTHING"));
      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  DeclaredRouter.rows(
                      client,
                      insert.formatted(
                          tenant, "a", "(tenant_id, user_id) DO UPDATE SET name = 'other'")));
      assertThat(error.getSQLState()).isEqualTo("0A000");
      DeclaredRouter.rows(client, insert.formatted(rig.tenant(2, 0), "a", "DO NOTHING"));
      assertThat(rig.everywhere("SELECT email FROM users")).containsExactly("a");
      rig.entriesAreTrue("after ON CONFLICT");
    }
  }
}
