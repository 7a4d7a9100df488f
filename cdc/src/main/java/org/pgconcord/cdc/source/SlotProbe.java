package org.pgconcord.cdc.source;

import java.sql.SQLException;
import org.pgconcord.cdc.slot.SlotGuard;

/** Looks at the slot before the engine starts, because the engine itself would retry for long. */
public interface SlotProbe {
  /**
   * What the engine has to prove before it is believed; to be closed when it has ended.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/slot-lost} when the slot is gone
   *     or its log is: no start can help
   * @throws SQLException when the server cannot be asked now
   */
  SlotGuard guard() throws SQLException;
}
