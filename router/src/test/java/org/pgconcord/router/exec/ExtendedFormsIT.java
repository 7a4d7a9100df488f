package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
