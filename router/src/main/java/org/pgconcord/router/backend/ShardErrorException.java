package org.pgconcord.router.backend;

import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.wire.ErrorFields;

/** A shard answered with an error; its fields are kept whole. */
public final class ShardErrorException extends RuntimeException {
  private final ShardId shard;
  private final transient ErrorFields fields;

  public ShardErrorException(ShardId shard, ErrorFields fields) {
    super(shard + ": " + fields.sqlState() + " " + fields.message());
    this.shard = shard;
    this.fields = fields;
  }

  public ShardId shard() {
    return shard;
  }

  public ErrorFields fields() {
    return fields;
  }
}
