package org.pgconcord.verifier;

import java.sql.SQLException;
import org.pgconcord.config.value.GsiName;

/** The streams' own writing of an index's entries while it is {@code tailing}. */
@FunctionalInterface
public interface BlindWrites {
  /** Stops it until the result is ended: what is settled meanwhile stays true afterwards. */
  Pause pause(GsiName gsi) throws SQLException;

  /** A pause that lasts. */
  interface Pause {
    void end();
  }
}
