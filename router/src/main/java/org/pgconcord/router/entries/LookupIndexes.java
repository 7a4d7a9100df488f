package org.pgconcord.router.entries;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.gsi.LookupIndex;

/** Indexes as resolved against a routing state, each once per state. Any thread may call it. */
public final class LookupIndexes {
  private record Resolved(RoutingState state, Map<GsiName, LookupIndex> indexes) {}

  private volatile Resolved latest;

  public LookupIndexes(RoutingState state) {
    this.latest = new Resolved(state, new ConcurrentHashMap<>());
  }

  /** The index to which a table refers. */
  public LookupIndex of(RoutingState state, Referrer referrer) {
    return of(
        state,
        state
            .topology()
            .gsi(referrer.gsi())
            .orElseThrow(
                () ->
                    ErrorCode.GSI_UNUSABLE.because(
                        "index " + referrer.gsi() + " is not declared any more")));
  }

  @SuppressWarnings("ReferenceEquality") // one state object per publication
  public LookupIndex of(RoutingState state, Gsi gsi) {
    Resolved known = latest;
    if (known.state() != state) {
      known = new Resolved(state, new ConcurrentHashMap<>());
      latest = known;
    }
    return known.indexes().computeIfAbsent(gsi.name(), name -> LookupIndex.resolve(state, gsi));
  }
}
