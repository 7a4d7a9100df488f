package org.pgconcord.testkit.history;

/**
 * PostgreSQL's isolation levels, as it implements them: REPEATABLE READ is snapshot isolation,
 * under which write skew (G2) is possible.
 */
public enum Level {
  READ_COMMITTED("READ COMMITTED", Anomaly.Kind.G1C),
  REPEATABLE_READ("REPEATABLE READ", Anomaly.Kind.G_SINGLE),
  SERIALIZABLE("SERIALIZABLE", Anomaly.Kind.G2);

  private final String sql;
  private final Anomaly.Kind lastForbidden;

  Level(String sql, Anomaly.Kind lastForbidden) {
    this.sql = sql;
    this.lastForbidden = lastForbidden;
  }

  public String sql() {
    return sql;
  }

  /** Anomalies are declared in an order in which each level forbids the first ones. */
  public boolean forbids(Anomaly anomaly) {
    return anomaly.kind().compareTo(lastForbidden) <= 0;
  }
}
