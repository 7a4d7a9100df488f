package org.pgconcord.cdc.apply;

import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;

/** The streams of owner shards. */
public interface StreamFactory {
  /** A stream that delivers what these indexes need, from the slot's confirmed position. */
  ChangeStream open(StreamName stream, Collection<LookupIndex> indexes);

  /**
   * The slot's confirmed position: nothing that committed up to it will be delivered again.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/slot-lost} when there is no slot
   */
  Lsn confirmed(StreamName stream) throws SQLException;

  /** Why the stream no longer tells all that the index needs; empty while it does. */
  Optional<ConcordException> problem(StreamName stream, LookupIndex index) throws SQLException;
}
