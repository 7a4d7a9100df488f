package org.pgconcord.config.sharding;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.pgconcord.config.value.TableName;

/**
 * The number of the advisory lock that stands for writing one reference table, taken on its leading
 * copy. It is XXH3-64 over {@code reference}, NUL, database, NUL, schema, NUL, name: the same in
 * every process and version. A collision only makes two tables' writers wait for each other.
 */
public final class LeaderLock {
  private LeaderLock() {}

  /** The argument of {@code pg_advisory_xact_lock(bigint)}. */
  public static long of(String database, TableName table) {
    String name = String.join("\0", "reference", database, table.schema(), table.name());
    return XxHash.hash64(name.getBytes(UTF_8));
  }
}
