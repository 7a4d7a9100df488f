package org.pgconcord.router.analyse;

import org.pgconcord.config.schema.Column;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.TableName;

/** A column that constants are compared with or stored in: a shard key or a GSI's key. */
public record KeyColumn(TableName table, Column column, KeyType type) {
  public String name() {
    return column.name();
  }
}
