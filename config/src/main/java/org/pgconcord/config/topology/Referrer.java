package org.pgconcord.config.topology;

import java.util.List;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * A table that lists an index which another table owns: each of its rows has to name a mapping of
 * that index.
 *
 * @param columns its own columns, in the order of the index's
 */
public record Referrer(GsiName gsi, TableName table, List<String> columns) {
  public Referrer {
    columns = List.copyOf(columns);
  }
}
