package org.pgconcord.cdc.slot;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgconcord.cdc.change.StreamName;

/** Opens sessions of the service role on a stream's database; the caller closes them. */
public interface StreamConnections {
  /** An ordinary session with pinned settings, in auto-commit. */
  Connection open(StreamName stream) throws SQLException;

  /** A session with {@code replication=database} and simple queries. */
  Connection openReplication(StreamName stream) throws SQLException;
}
