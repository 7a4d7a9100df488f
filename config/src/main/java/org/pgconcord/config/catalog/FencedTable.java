package org.pgconcord.config.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.pgconcord.config.sharding.XxHash;
import org.pgconcord.config.value.TableName;

/** A table whose writes pass the fence: the owner of an index, or a reference table. */
public record FencedTable(String database, TableName table) implements Comparable<FencedTable> {
  private static final int NAME_BYTES = 63;

  /**
   * The sequence in schema {@code pgconcord}, on every shard with rows of the table, that holds the
   * lowest epoch which may write: the table's name in clear where that is unambiguous and has no
   * more than PostgreSQL's 63 bytes.
   */
  public String sequence() {
    String name = "fence " + table;
    boolean clear = table.schema().indexOf('.') < 0 && table.name().indexOf('.') < 0;
    if (clear && name.getBytes(UTF_8).length <= NAME_BYTES) {
      return name;
    }
    String whole = String.join("\0", table.schema(), table.name());
    return "fence #" + Long.toHexString(XxHash.hash64(whole.getBytes(UTF_8)));
  }

  /** {@code app.public.users}. */
  @Override
  public String toString() {
    return database + "." + table;
  }

  @Override
  public int compareTo(FencedTable other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : table.compareTo(other.table);
  }
}
