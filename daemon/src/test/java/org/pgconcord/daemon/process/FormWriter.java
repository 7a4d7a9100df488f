package org.pgconcord.daemon.process;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/**
 * A client that changes users of its own by every form of write that an extended index takes, and
 * looks for each changed key at once. Every key is made once.
 */
final class FormWriter {
  private static final int TENANTS = 1_000;
  private static final int KEPT = 30;

  /** What ends a statement as a race lost: nothing of it was done. */
  private static final Set<String> AGAIN = Set.of("40001", "40P01", "55P03");

  private final Random random;
  private final LongSupplier numbers;
  private final List<Row> mine = new ArrayList<>();

  private record Row(long tenant, long user, String email) {
    Row with(String other) {
      return new Row(tenant, user, other);
    }

    String values() {
      return "(%d, %d, '%s', 'f')".formatted(tenant, user, email);
    }
  }

  /** Rows that a statement takes away, and rows that it brings; a changed row is both. */
  private record Change(String sql, List<Row> gone, List<Row> come) {}

  FormWriter(Random random, LongSupplier numbers) {
    this.random = random;
    this.numbers = numbers;
  }

  /** Makes one change, again where a race was lost; returns how many keys were read back. */
  int step(Connection client) throws SQLException {
    Change change = change();
    for (int attempt = 1; ; attempt++) {
      try (Statement statement = client.createStatement()) {
        statement.execute(
            "SET pgconcord.tx_mode = " + (random.nextInt(4) == 0 ? "atomic" : "multi"));
        run(client, statement, change.sql());
        break;
      } catch (SQLException e) {
        if (attempt == 50 || !AGAIN.contains(e.getSQLState())) {
          throw new SQLException(change.sql() + ": " + e.getMessage(), e.getSQLState(), e);
        }
      }
    }
    mine.removeAll(change.gone());
    mine.addAll(change.come());
    change.come().forEach(row -> find(client, row.email(), List.of(row.user())));
    List<String> come = change.come().stream().map(Row::email).toList();
    change.gone().stream()
        .map(Row::email)
        .filter(email -> !come.contains(email))
        .forEach(email -> find(client, email, List.of()));
    return change.come().size() + change.gone().size();
  }

  private static void run(Connection client, Statement statement, String sql) throws SQLException {
    int line = sql.indexOf('\n');
    if (line < 0) {
      statement.execute(sql);
      return;
    }
    try {
      new CopyManager(client.unwrap(BaseConnection.class))
          .copyIn(sql.substring(0, line), new StringReader(sql.substring(line + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of the data, which are in memory
    }
  }

  private static void find(Connection client, String email, List<Long> users) {
    List<Long> found = new ArrayList<>();
    try (Statement statement = client.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT user_id FROM users WHERE email = '" + email + "'")) {
      while (row.next()) {
        found.add(row.getLong(1));
      }
    } catch (SQLException e) {
      if (AGAIN.contains(e.getSQLState())) {
        return;
      }
      throw new IllegalStateException(e);
    }
    if (!found.equals(users)) {
      throw new AssertionError(email + " is at " + found + ", not at " + users);
    }
  }

  // --- the forms -------------------------------------------------------------------------------

  private Change change() {
    return switch (mine.size() < KEPT ? random.nextInt(3) : random.nextInt(10)) {
      case 0 -> insert();
      case 1 -> copy();
      case 2 -> upsert();
      case 3 -> renamed("email IN (%s)", Row::email);
      case 4 -> renamed("user_id IN (%s)", row -> Long.toString(row.user()));
      case 5 -> exchange();
      case 6 -> merge();
      case 7 -> replace();
      default -> delete();
    };
  }

  private Change insert() {
    List<Row> rows = List.of(next(), next());
    return new Change(
        "INSERT INTO users (tenant_id, user_id, email, name) VALUES " + values(rows),
        List.of(),
        rows);
  }

  private Change copy() {
    List<Row> rows = List.of(next(), next(), next());
    String lines =
        rows.stream()
            .map(row -> "%d\t%d\t%s\n".formatted(row.tenant(), row.user(), row.email()))
            .collect(Collectors.joining());
    return new Change(
        "COPY users (tenant_id, user_id, email) FROM STDIN\n" + lines, List.of(), rows);
  }

  private Change upsert() {
    List<Row> gone = some(2);
    List<Row> come = new ArrayList<>(gone.stream().map(row -> row.with(email())).toList());
    come.add(next());
    return new Change(
        "INSERT INTO users (tenant_id, user_id, email, name) VALUES "
            + values(come)
            + " ON CONFLICT (tenant_id, user_id) DO UPDATE SET email = EXCLUDED.email",
        gone,
        come);
  }

  private interface Name {
    String of(Row row);
  }

  private Change renamed(String where, Name name) {
    List<Row> gone = some(3);
    String which =
        gone.stream().map(row -> "'" + name.of(row) + "'").collect(Collectors.joining(", "));
    String prefix = "n" + numbers.getAsLong();
    return new Change(
        "UPDATE users SET email = '" + prefix + "' || email WHERE " + where.formatted(which),
        gone,
        gone.stream().map(row -> row.with(prefix + row.email())).toList());
  }

  /** Of two tenants: within one their own unique index looks at each row by itself. */
  private Change exchange() {
    List<Row> rows = some(KEPT);
    Row one = rows.get(0);
    Row other = rows.stream().filter(r -> r.tenant() != one.tenant()).findFirst().orElse(one);
    if (other.equals(one)) {
      return delete();
    }
    List<Row> two = List.of(one, other);
    return new Change(
        "UPDATE users SET email = CASE email WHEN '%1$s' THEN '%2$s' ELSE '%1$s' END WHERE email IN ('%1$s', '%2$s')"
            .formatted(one.email(), other.email()),
        two,
        List.of(one.with(other.email()), other.with(one.email())));
  }

  private Change merge() {
    Row gone = some(1).get(0);
    Row changed = gone.with(email());
    Row made = new Row(gone.tenant(), numbers.getAsLong(), email());
    return new Change(
        ("MERGE INTO users u USING (VALUES (%2$d, '%3$s'), (%4$d, '%5$s')) v (id, email)"
                + " ON u.tenant_id = %1$d AND u.user_id = v.id"
                + " WHEN MATCHED THEN UPDATE SET email = v.email"
                + " WHEN NOT MATCHED THEN"
                + " INSERT (tenant_id, user_id, email) VALUES (%1$d, v.id, v.email)")
            .formatted(gone.tenant(), gone.user(), changed.email(), made.user(), made.email()),
        List.of(gone),
        List.of(changed, made));
  }

  private Change replace() {
    Row gone = some(1).get(0);
    Row made = new Row(gone.tenant(), numbers.getAsLong(), email());
    return new Change(
        ("WITH gone AS (DELETE FROM users WHERE tenant_id = %d AND user_id = %d RETURNING 1)"
                + " INSERT INTO users (tenant_id, user_id, email, name) VALUES %s")
            .formatted(gone.tenant(), gone.user(), made.values()),
        List.of(gone),
        List.of(made));
  }

  private Change delete() {
    List<Row> gone = some(2);
    String emails =
        gone.stream().map(row -> "'" + row.email() + "'").collect(Collectors.joining(", "));
    return new Change("DELETE FROM users WHERE email IN (" + emails + ")", gone, List.of());
  }

  // --- rows ------------------------------------------------------------------------------------

  private Row next() {
    return new Row(1 + random.nextInt(TENANTS), numbers.getAsLong(), email());
  }

  private String email() {
    return "f" + numbers.getAsLong() + "@forms.example";
  }

  /** So many of the rows, or all. */
  private List<Row> some(int count) {
    List<Row> rows = new ArrayList<>(mine);
    java.util.Collections.shuffle(rows, random);
    return rows.subList(0, Math.min(count, rows.size()));
  }

  private static String values(List<Row> rows) {
    return rows.stream().map(Row::values).collect(Collectors.joining(", "));
  }
}
