package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** UPDATE of indexed columns in extended mode: any shape, and the entries follow. */
class ExtendedUpdateIT {
  private static ExtendedRig rig;
  private static long onA;
  private static long onB;
  private static long alsoOnB;
  private static long onC;

  private Connection client;

  @BeforeAll
  static void start() throws SQLException {
    rig = new ExtendedRig();
    onA = rig.tenant(0, 0);
    onB = rig.tenant(1, 0);
    alsoOnB = rig.tenant(1, 1);
    onC = rig.tenant(2, 0);
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void rowsOnAllShards() throws SQLException {
    rig.empty();
    client = rig.router.connect("simple");
    int user = 0;
    for (long tenant : List.of(onA, onB, alsoOnB, onC)) {
      for (int i = 0; i < 3; i++) {
        run(
            "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES (%d, %d,"
                    .formatted(tenant, i)
                + " 'e%d', %d, 's%d', '%s', 'n%d')"
                    .formatted(user, user, i, i == 0 ? "Oulu" : "Turku", user));
        user++;
      }
    }
    entriesAreTrue();
  }

  @AfterEach
  void entriesStayTrue() throws SQLException {
    client.close();
    rig.entriesAreTrue("at the end");
  }

  @Test
  void manyRowsOfSeveralIndexesOnAllShards() throws SQLException {
    assertThat(
            count(
                "UPDATE users SET email = 'x' || email, city = 'Vaasa', seat = seat || floor,"
                    + " name = name || '!'"))
        .isEqualTo(12);
    entriesAreTrue();
    assertThat(count("UPDATE users u SET city = NULL WHERE u.user_id > 0")).isEqualTo(8);
    entriesAreTrue();
    assertThat(count("UPDATE users AS u SET (city, email) = ('Turku', email || u.user_id)"))
        .isEqualTo(12);
    entriesAreTrue();
    assertThat(count("UPDATE users SET city = 'x' WHERE user_id = 77")).isZero();
    assertThat(rows(client, "SELECT name FROM users WHERE email = 'xe00'")).containsExactly("n0!");
  }

  @Test
  void oneShardWithSubqueriesAndDefault() throws SQLException {
    assertThat(
            count(
                "UPDATE users SET email = (SELECT max(name) FROM countries) || user_id, city ="
                    + " DEFAULT WHERE tenant_id = "
                    + onB
                    + " AND city IN (SELECT 'Turku')"))
        .isEqualTo(2);
    entriesAreTrue();
    assertThat(
            rows(
                client,
                "SELECT email FROM users WHERE city IS NULL ORDER BY 1".replace(" ORDER BY 1", "")))
        .containsExactlyInAnyOrder("France1", "France2");
    run("UPDATE users SET email = DEFAULT WHERE user_id = 1 AND tenant_id = " + onA);
    entriesAreTrue();
    refused("UPDATE users SET email = DEFAULT WHERE user_id = 1", "23505");
    run("UPDATE users SET email = md5(random()::text) WHERE random() < 0.7 AND tenant_id = " + onC);
  }

  @Test
  void returningIsTheClientsOwn() throws SQLException {
    assertThat(
            rows(
                client,
                "UPDATE users SET city = 'Kemi', email = upper(email) WHERE tenant_id = "
                    + onB
                    + " RETURNING email || '/' || city"))
        .containsExactlyInAnyOrder("E3/Kemi", "E4/Kemi", "E5/Kemi");
    assertThat(rows(client, "UPDATE users SET email = 'n' || email RETURNING *")).hasSize(12);
    for (String mode : List.of("extended", "extendedForPrepared", "simple")) {
      try (Connection other = rig.router.connect(mode);
          PreparedStatement update =
              other.prepareStatement(
                  "UPDATE users SET email = ? || user_id, floor = ? WHERE tenant_id = ? AND"
                      + " user_id < ? RETURNING user_id, floor, email, 1.5")) {
        for (int round = 0; round < 7; round++) {
          update.setString(1, mode + round + "-");
          update.setInt(2, 900 + round);
          update.setLong(3, alsoOnB);
          update.setInt(4, 2);
          try (ResultSet result = update.executeQuery()) {
            for (int row = 0; row < 2; row++) {
              assertThat(result.next()).isTrue();
              assertThat(result.getInt(2)).isEqualTo(900 + round);
              assertThat(result.getString(3)).isEqualTo(mode + round + "-" + result.getLong(1));
              assertThat(result.getMetaData().getColumnCount()).isEqualTo(4);
            }
            assertThat(result.next()).isFalse();
          }
        }
        entriesAreTrue();
      }
    }
  }

  @Test
  void keysAreExchangedWithinOneStatement() throws SQLException {
    run("UPDATE users SET floor = floor + 1, seat = 's'");
    entriesAreTrue();
    run("UPDATE users SET floor = floor + 1");
    entriesAreTrue();
    run("UPDATE users SET floor = 13 - floor, email = 'e' || (13 - floor)");
    entriesAreTrue();
    run("UPDATE users SET email = 'e' || (11 - substr(email, 2)::int) WHERE email < 'e2' OR true");
    entriesAreTrue();
    run(
        "UPDATE users SET email = CASE user_id WHEN 0 THEN 'swap1' WHEN 1 THEN 'swap0' ELSE email"
            + " END WHERE tenant_id = "
            + onC);
    run(
        "UPDATE users SET email = CASE user_id WHEN 0 THEN 'swap0' WHEN 1 THEN 'swap1' ELSE email"
            + " END WHERE tenant_id = "
            + onC);
    refused("UPDATE users SET email = 'same'", "23505");
    refused("UPDATE users SET email = 'same' WHERE tenant_id = " + onB, "23505");
    refused("UPDATE users SET floor = 1, seat = 's' WHERE tenant_id = " + onB, "23505");
    refused("UPDATE users SET email = NULL WHERE tenant_id = " + onB, "23502");
  }

  @Test
  void thereAndBackWithSavepoints() throws SQLException {
    for (long tenant : List.of(onA, onB)) {
      String of = " WHERE tenant_id = " + tenant;
      run("BEGIN");
      run("UPDATE users SET email = email || 'x', city = 'P'" + of);
      run("SAVEPOINT s");
      run("UPDATE users SET email = 'z' || user_id" + of);
      refused("UPDATE users SET email = 'z0'" + of, "23505");
      run("ROLLBACK TO s");
      run("UPDATE users SET email = replace(email, 'x', ''), city = 'Oulu'" + of);
      run("DELETE FROM users WHERE user_id = 1 AND tenant_id = " + tenant);
      run("SAVEPOINT t");
      run(
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'again')"
              .formatted(tenant));
      run("UPDATE users SET email = email || 1, city = 'Rauma'" + of);
      run("DELETE FROM users WHERE user_id = 1 AND tenant_id = " + tenant);
      run("ROLLBACK TO t");
      run(
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'e%d')"
              .formatted(tenant, tenant == onA ? 1 : 4));
      run("UPDATE users SET name = 'seen'" + of);
      run("COMMIT");
      entriesAreTrue();
      assertThat(rows(client, "SELECT email FROM users" + of)).hasSize(3);
    }
  }

  @Test
  void theOldRowIsNeverSomebodyElses() throws SQLException {
    for (String ddl :
        List.of(
            "CREATE FUNCTION stubborn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.user_id"
                + " = 1 THEN RETURN NULL; END IF; NEW.city = NEW.city || OLD.user_id; RETURN NEW;"
                + " END $$",
            "CREATE TRIGGER stubborn BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION"
                + " stubborn()")) {
      rig.everywhere(ddl);
    }
    try {
      assertThat(count("UPDATE users SET email = 'new' || email, city = 'Salo'")).isEqualTo(8);
      entriesAreTrue();
      assertThat(rows(client, "SELECT email FROM users WHERE user_id = 1"))
          .containsExactlyInAnyOrder("e1", "e4", "e7", "e10");
      assertThat(rows(client, "SELECT city FROM users WHERE city = 'Salo2'")).hasSize(4);
    } finally {
      rig.everywhere("DROP FUNCTION stubborn CASCADE");
    }
  }

  @Test
  void aTriggerThatMovesARowToAnotherShardFailsTheStatement() throws SQLException {
    rig.everywhere(
        "CREATE FUNCTION mover() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.tenant_id ="
            + " NEW.name::bigint; RETURN NEW; END $$");
    rig.everywhere(
        "CREATE TRIGGER mover BEFORE UPDATE ON users FOR EACH ROW WHEN (NEW.name ~ '^[0-9]+$')"
            + " EXECUTE FUNCTION mover()");
    try {
      refused("UPDATE users SET name = '%d' WHERE tenant_id = %d".formatted(onA, onB), "0A000");
      entriesAreTrue();
      run(
          "UPDATE users SET name = '%d', user_id = 50 + user_id WHERE tenant_id = %d"
              .formatted(alsoOnB, onB));
      entriesAreTrue();
    } finally {
      rig.everywhere("DROP FUNCTION mover CASCADE");
    }
  }

  @Test
  void strictAndExtendedIndexesOfOneTable() throws SQLException {
    run(
        "INSERT INTO people VALUES (%d, 1, 'm1', 'p1', 'n'), (%d, 1, 'm2', 'p2', 'n')"
            .formatted(onA, onB));
    String strict =
        refused("UPDATE people SET mail = 'x', phone = 'y' WHERE tenant_id = " + onA, "0A000");
    assertThat(strict).contains("by_mail").contains("write/declared-column");
    assertThat(count("UPDATE people SET phone = phone || '0'")).isEqualTo(2);
    assertThat(
            count(
                "UPDATE people SET mail = 'm3' WHERE tenant_id = %d AND person_id = 1"
                    .formatted(onA)))
        .isEqualTo(1);
    entriesAreTrue();
    refused("DELETE FROM people WHERE mail = 'm2'", "0A000");
    refused("DELETE FROM people WHERE mail = 'm2' AND phone = 'p20'", "0A000");
    assertThat(count("DELETE FROM people WHERE phone = 'p20'")).isEqualTo(1);
  }

  @Test
  void belowWriteOnlyTheUpdatePasses() throws SQLException {
    rig.router.publish(org.pgconcord.config.catalog.GsiState.TAILING);
    try {
      assertThat(count("UPDATE users SET email = 'y' || email")).isEqualTo(12);
      assertThat(rig.router.violations()).isNotEmpty();
      assertThat(count("UPDATE users SET email = substr(email, 2)")).isEqualTo(12);
    } finally {
      rig.router.publish(org.pgconcord.config.catalog.GsiState.ENABLED);
    }
    entriesAreTrue();
  }

  // --- the client ------------------------------------------------------------------------------

  private void entriesAreTrue() throws SQLException {
    rig.entriesAreTrue("");
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private int count(String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  /** Its message. */
  private String refused(String sql, String state) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    assertThat(error.getSQLState()).as(sql + ": " + error.getMessage()).isEqualTo(state);
    return String.valueOf(error.getMessage());
  }
}
