package org.pgconcord.cdc.apply;

import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;

/**
 * Hears what a person or the life cycle has to act on. Called by tails' threads: hand on, do not
 * block. The index that a call names is no longer served by that stream when the call comes.
 */
public interface TailListener {
  /** The slot is gone or has lost its log: every index on the stream has a gap. */
  void streamLost(StreamName stream, Throwable cause);

  /** A change could not be read or written exactly; the stream goes on for others. */
  void blocked(GsiName gsi, StreamName stream, ConcordException cause);

  /** The owner table of a maintained index was truncated on the stream's shard. */
  void truncated(GsiName gsi, StreamName stream);
}
