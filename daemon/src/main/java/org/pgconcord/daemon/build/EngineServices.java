package org.pgconcord.daemon.build;

import java.nio.file.Path;
import java.time.Clock;
import org.pgconcord.backfill.BackfillOptions;
import org.pgconcord.backfill.BackfillServices;
import org.pgconcord.cdc.apply.Tails;
import org.pgconcord.cdc.slot.Publications;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.verifier.Verifier;

/**
 * What the indexes of one logical database work with.
 *
 * @param fences ends the writing under older epochs
 * @param sessions opens sessions of the service role in that database
 */
public record EngineServices(
    Catalog catalog,
    RoutingPublisher publisher,
    FenceSteps fences,
    Preconditions preconditions,
    Slots slots,
    Publications publications,
    SharedSlots sharedSlots,
    Tails tails,
    Verifier verifier,
    SettlementRunner.Sessions sessions,
    StateStore store,
    Path stateDirectory,
    ProgressBoard board,
    Clock clock) {

  BackfillServices backfill(LookupIndex index) {
    return new BackfillServices(
        sessions,
        store,
        stateDirectory,
        BackfillOptions.defaults(),
        new StreamStart(),
        new FoundOwners(catalog).ofBackfill(index, tails));
  }
}
