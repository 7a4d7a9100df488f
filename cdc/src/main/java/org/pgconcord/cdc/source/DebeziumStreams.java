package org.pgconcord.cdc.source;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.cdc.apply.StreamFactory;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.store.StateStore;

/** Opens Debezium streams that read just the columns which the served indexes are made of. */
public final class DebeziumStreams implements StreamFactory {
  /** Asked at each opening, so that a shard that moved is found. */
  public interface Addresses {
    Address of(StreamName stream);
  }

  /**
   * Where a stream's database is.
   *
   * @param database the name on the server
   * @param password empty when the server asks for none
   */
  public record Address(
      String host, int port, String database, String user, String password, String sslmode) {
    /** Never prints the password. */
    @Override
    public String toString() {
      return user + "@" + host + ":" + port + "/" + database;
    }
  }

  private final Addresses addresses;
  private final Slots slots;
  private final StateStore store;

  public DebeziumStreams(Addresses addresses, Slots slots, StateStore store) {
    this.addresses = addresses;
    this.slots = slots;
    this.store = store;
  }

  @Override
  public ChangeStream open(StreamName stream, Collection<LookupIndex> indexes) {
    return new DebeziumStream(
        () -> settings(stream, columns(indexes)), store, stream, () -> slots.guard(stream));
  }

  @Override
  public Lsn confirmed(StreamName stream) throws SQLException {
    return slots
        .health(stream)
        .orElseThrow(() -> ErrorCode.SLOT_LOST.because("stream " + stream + " has no slot"))
        .confirmed();
  }

  @Override
  public Optional<ConcordException> problem(StreamName stream, LookupIndex index)
      throws SQLException {
    List<String> needed = index.columns().stream().map(IndexColumn::name).toList();
    return slots.publications().problem(stream, index.gsi().owner(), needed);
  }

  private SourceSettings settings(StreamName stream, Map<TableName, Map<String, KeyType>> columns) {
    Address address = addresses.of(stream);
    return new SourceSettings(
        stream,
        address.host(),
        address.port(),
        address.database(),
        address.user(),
        address.password(),
        address.sslmode(),
        slots.names().slot(stream),
        slots.names().publication(stream),
        columns,
        SourceSettings.TRANSACTION_ROWS,
        SourceSettings.HEARTBEAT);
  }

  private static Map<TableName, Map<String, KeyType>> columns(Collection<LookupIndex> indexes) {
    Map<TableName, Map<String, KeyType>> columns = new HashMap<>();
    for (LookupIndex index : indexes) {
      Map<String, KeyType> needed =
          columns.computeIfAbsent(index.gsi().owner(), table -> new HashMap<>());
      index.columns().forEach(column -> needed.put(column.name(), column.type()));
    }
    return columns;
  }
}
