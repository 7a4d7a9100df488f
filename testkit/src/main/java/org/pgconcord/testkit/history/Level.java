package org.pgconcord.testkit.history;

import java.util.EnumSet;
import java.util.Set;

/**
 * PostgreSQL's isolation levels, as it implements them: REPEATABLE READ is snapshot isolation,
 * under which write skew (G2) is possible.
 */
public enum Level {
  READ_COMMITTED("READ COMMITTED", EnumSet.range(Anomaly.Kind.INTERNAL, Anomaly.Kind.G1C)),
  REPEATABLE_READ("REPEATABLE READ", EnumSet.range(Anomaly.Kind.INTERNAL, Anomaly.Kind.G_SINGLE)),
  SERIALIZABLE("SERIALIZABLE", EnumSet.allOf(Anomaly.Kind.class));

  private final String sql;
  private final Set<Anomaly.Kind> forbidden;

  Level(String sql, Set<Anomaly.Kind> forbidden) {
    this.sql = sql;
    this.forbidden = forbidden;
  }

  public String sql() {
    return sql;
  }

  public boolean forbids(Anomaly anomaly) {
    return forbidden.contains(anomaly.kind());
  }
}
