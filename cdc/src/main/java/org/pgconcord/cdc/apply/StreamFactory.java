package org.pgconcord.cdc.apply;

import java.util.Collection;
import org.pgconcord.cdc.change.ChangeStream;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.gsi.LookupIndex;

/** Makes a stream that delivers what these indexes need, from the slot's confirmed position. */
public interface StreamFactory {
  ChangeStream open(StreamName stream, Collection<LookupIndex> indexes);
}
