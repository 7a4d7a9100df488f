package org.pgconcord.daemon.faults;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row of the users table, as a {@link RandomWriter} makes it, and the statements about it. */
record UserRow(long tenant, long user, String email, @Nullable String country, String name) {
  private static final String HOT = "hot";

  /** As {@link Load} reads it back. */
  String state() {
    return tenant + "/" + email + "/" + country + "/" + name;
  }

  /** Others want one of its keys too. */
  boolean hot() {
    return hotEmail() || name.startsWith(HOT);
  }

  boolean hotEmail() {
    return email.startsWith(HOT);
  }

  UserRow withEmail(String other) {
    return new UserRow(tenant, user, other, country, name);
  }

  static String insert(List<UserRow> rows) {
    return "INSERT INTO users (tenant_id, user_id, email, country_code, name) VALUES "
        + String.join(", ", rows.stream().map(UserRow::values).toList());
  }

  private String values() {
    return "(%d, %d, '%s', %s, '%s')"
        .formatted(tenant, user, email, country == null ? "NULL" : "'" + country + "'", name);
  }

  String delete() {
    return "DELETE FROM users WHERE tenant_id = %d AND user_id = %d".formatted(tenant, user);
  }

  /** Gives it the email of {@code renamed}. */
  String update(UserRow renamed) {
    return "UPDATE users SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
        .formatted(renamed.email, tenant, user);
  }

  /** Asks which user has its email. */
  String byEmail() {
    return "SELECT user_id FROM users WHERE email = '" + email + "'";
  }
}
