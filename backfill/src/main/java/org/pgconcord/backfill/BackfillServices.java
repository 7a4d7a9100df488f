package org.pgconcord.backfill;

import java.nio.file.Path;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.state.store.StateStore;

/**
 * What builds need from the rest of the daemon.
 *
 * @param sessions opens sessions of the service role, in the index's logical database
 * @param store remembers how far a build is
 * @param stateDirectory where the runs go
 * @param progress writes the streams' start into the target
 * @param findings takes duplicates and violations
 */
public record BackfillServices(
    SettlementRunner.Sessions sessions,
    StateStore store,
    Path stateDirectory,
    BackfillOptions options,
    TargetProgress progress,
    BuildFindings findings,
    BuildStep.Hook hook) {

  public BackfillServices(
      SettlementRunner.Sessions sessions,
      StateStore store,
      Path stateDirectory,
      BackfillOptions options,
      TargetProgress progress,
      BuildFindings findings) {
    this(sessions, store, stateDirectory, options, progress, findings, step -> {});
  }
}
