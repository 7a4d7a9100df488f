package org.pgconcord.cdc.source;

import java.time.Duration;
import java.util.Map;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.TableName;

/**
 * What a stream reads, and from where.
 *
 * @param database the database's name on the server, which may differ from the logical one
 * @param password empty when the server asks for none
 * @param columns published table -> the columns whose values are wanted, with their types; the
 *     others are not decoded
 * @param transactionRows changes that a transaction may have before it goes to the spool
 */
public record SourceSettings(
    StreamName stream,
    String host,
    int port,
    String database,
    String user,
    String password,
    String sslmode,
    String slot,
    String publication,
    Map<TableName, Map<String, KeyType>> columns,
    int transactionRows,
    Duration heartbeat) {
  /** Changes that a transaction may have before it is spooled: about 5 MB of narrow rows. */
  public static final int TRANSACTION_ROWS = 10_000;

  public static final Duration HEARTBEAT = Duration.ofSeconds(3);

  public SourceSettings {
    columns = Map.copyOf(columns);
  }

  /** Never prints the password. */
  @Override
  public String toString() {
    return "SourceSettings[" + stream + " slot=" + slot + " at " + host + ":" + port + "]";
  }
}
