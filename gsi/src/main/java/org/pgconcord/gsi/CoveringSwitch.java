package org.pgconcord.gsi;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.Tuple;

/**
 * Whether a covering index's entries may answer at all: a sequence on the lookup's shard, odd for
 * yes, read in the same statement as the entry, so that turning it off holds for every router from
 * the next read on. It is only ever raised: who turns it on says which count he saw before he
 * looked, and does nothing when it was turned off meanwhile.
 *
 * <p>Used on a JDBC session of the service role with auto-commit on.
 */
public final class CoveringSwitch {
  private final LookupIndex index;
  private final String name;

  public CoveringSwitch(LookupIndex index) {
    this.index = index;
    this.name = LookupDdl.coveringSwitch(index);
  }

  /** The count, to be noted before a verification. */
  public long count(Connection lookup) throws SQLException {
    return number(lookup, "SELECT last_value FROM " + name);
  }

  /** Turns it off: something was found that no router wrote. True when it was on. */
  public boolean off(Connection lookup) throws SQLException {
    long before = alone(lookup, count -> OptionalLong.of(count + 1 + (count + 1) % 2));
    return before % 2 == 1;
  }

  /**
   * Turns it on, if it was not turned off since {@code seen} and no read is under way that began
   * before {@code verification} ago: such a read could take its entry from before and the switch
   * from now. True when it is on afterwards.
   */
  public boolean on(Connection lookup, long seen, Duration verification) throws SQLException {
    if (seen % 2 == 1) {
      return count(lookup) == seen;
    }
    String older =
        "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE usename = current_user"
            + " AND datname = current_database() AND pid <> pg_backend_pid()"
            + " AND backend_type = 'client backend' AND xact_start <"
            + " clock_timestamp() - interval '%d milliseconds'".formatted(verification.toMillis());
    return number(lookup, older) == 0
        && alone(lookup, count -> count == seen ? OptionalLong.of(count + 1) : OptionalLong.empty())
            == seen;
  }

  private interface Next {
    /** Empty to leave it as it is. */
    OptionalLong after(long count);
  }

  /** One at a time: the lock first, then the reading. Returns the count before. */
  private long alone(Connection lookup, Next next) throws SQLException {
    String literal = Identifiers.literal(name);
    lookup.setAutoCommit(false);
    try {
      number(
          lookup,
          "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(%s, 0))".formatted(literal));
      long before = count(lookup);
      OptionalLong after = next.after(before);
      if (after.isPresent()) {
        number(lookup, "SELECT setval(%s, %d)".formatted(literal, after.getAsLong()));
      }
      lookup.commit();
      return before;
    } finally {
      lookup.rollback();
      lookup.setAutoCommit(true);
    }
  }

  /** Identities whose entries have a token, at most {@code limit}. */
  public List<Tuple> pending(Connection lookup, int limit) throws SQLException {
    String columns =
        String.join(", ", index.identity().stream().map(c -> c.quoted() + "::text").toList());
    String sql =
        "SELECT %s FROM %s WHERE %s IS NOT NULL LIMIT %d"
            .formatted(columns, index.gsi().lookup().quoted(), Gsi.PENDING, limit);
    List<Tuple> found = new ArrayList<>();
    try (Statement statement = lookup.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= index.identity().size(); column++) {
          values.add(String.valueOf(rows.getString(column)));
        }
        found.add(new Tuple(values));
      }
    }
    return found;
  }

  private static long number(Connection lookup, String sql) throws SQLException {
    try (Statement statement = lookup.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
