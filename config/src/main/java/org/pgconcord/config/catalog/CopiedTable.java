package org.pgconcord.config.catalog;

import org.pgconcord.config.value.TableName;

/** A reference table of a logical database. */
public record CopiedTable(String database, TableName table) implements Comparable<CopiedTable> {
  /** {@code app.public.countries}. */
  @Override
  public String toString() {
    return database + "." + table;
  }

  @Override
  public int compareTo(CopiedTable other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : table.compareTo(other.table);
  }
}
