package org.pgconcord.router.entries;

import java.util.Collection;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;

/**
 * Takes identities whose entries may be surplus: a transaction wrote or was to remove them and its
 * MAIN did not commit as planned, so that no owner's change stream will show them. Stored in the
 * catalog and settled by the auditor. Called on an event loop: must not block.
 */
public interface Suspects {
  void record(GsiName gsi, Collection<Tuple> identities);
}
