package org.pgconcord.config.value;

/** The full name of a global secondary index: its logical database and its name there. */
public record GsiName(String database, String name) implements Comparable<GsiName> {
  public GsiName {
    if (database.isEmpty() || name.isEmpty()) {
      throw new IllegalArgumentException("a GSI needs a database and a name");
    }
  }

  @Override
  public int compareTo(GsiName other) {
    return toString().compareTo(other.toString());
  }

  /** {@code app.by_email}, the form used in logs, metrics, the catalog and key locks. */
  @Override
  public String toString() {
    return database + "." + name;
  }
}
