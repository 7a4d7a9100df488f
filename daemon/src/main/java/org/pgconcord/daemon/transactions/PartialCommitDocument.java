package org.pgconcord.daemon.transactions;

import java.util.Map;
import org.pgconcord.config.atomic.PartialCommit;

/**
 * A transaction that ended unevenly, as people see it.
 *
 * @param endedAt ISO 8601
 * @param outcomes shard -> {@code committed}, {@code rolled back} or {@code unknown}
 */
public record PartialCommitDocument(
    String endedAt, String database, String user, Map<String, String> outcomes, String cause) {
  static PartialCommitDocument of(PartialCommit commit) {
    return new PartialCommitDocument(
        commit.endedAt().toString(),
        commit.database(),
        commit.user(),
        commit.outcomes(),
        commit.cause());
  }
}
