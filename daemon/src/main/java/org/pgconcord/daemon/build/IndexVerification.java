package org.pgconcord.daemon.build;

import java.sql.SQLException;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.VerifyRequest;
import org.pgconcord.verifier.report.ReportJson;
import org.pgconcord.verifier.report.VerificationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Catches up with the streams, verifies one index and stores the report. On the index's thread. */
final class IndexVerification {
  private static final Logger log = LoggerFactory.getLogger(IndexVerification.class);

  /** Each round settles all that a search for differences holds at once. */
  private static final int REPAIRS = 10;

  private final GsiName gsi;
  private final EngineServices services;
  private final IndexMachinery machinery;
  private final TableWatch tables;
  private final IndexThread thread;

  IndexVerification(
      GsiName gsi,
      EngineServices services,
      IndexMachinery machinery,
      TableWatch tables,
      IndexThread thread) {
    this.gsi = gsi;
    this.services = services;
    this.machinery = machinery;
    this.tables = tables;
    this.thread = thread;
  }

  /** Waits until the streams are close behind their shards. */
  void catchUp() {
    thread.step("tailing");
    new CatchUp(gsi, services).run(machinery.ownerShards());
  }

  /** Waits until the streams have passed a fence on each owner shard. */
  void passFences() {
    new CatchUp(gsi, services).pass(machinery.ownerShards());
  }

  /**
   * In {@code tailing}: verifies, has what is wrong settled while the streams pause ({@link
   * org.pgconcord.cdc.apply.StreamPause}), and verifies again. The streams catch up in between,
   * since only then the entries are true. Ends when the report is clean or nothing more could be
   * changed: duplicates stay until a person resolves them.
   */
  StoredReport proveOrRepair() {
    StoredReport report = verify(true);
    for (int round = 1; round <= REPAIRS && !report.clean() && repaired(report) > 0; round++) {
      log.warn(
          "gsi entries settled in tailing gsi={} report={} changed={}",
          gsi,
          report.id(),
          repaired(report));
      passFences();
      report = verify(true);
    }
    return report;
  }

  private static long repaired(StoredReport report) {
    return ReportJson.read(report.document()).repaired();
  }

  /**
   * Compares all entries with all owner rows, and stores what was found.
   *
   * @param repair whether differences are settled
   */
  StoredReport verify(boolean repair) {
    equip();
    thread.step("verify");
    LookupIndex index = machinery.index();
    new ConflictReview(services).run(index);
    index.ownerShards().forEach(shard -> services.board().begin(gsi, shard, "verify"));
    CatalogState stored = services.publisher().stored();
    GsiStatus status = stored.status(gsi);
    CoveringTrust trust = new CoveringTrust(index, services.sessions());
    try {
      VerificationReport report =
          services
              .verifier()
              .verify(
                  index,
                  new VerifyRequest(
                      status.state(),
                      status.epoch(),
                      stored.revision(),
                      tables.marks(index),
                      repair));
      index.ownerShards().forEach(shard -> services.board().end(gsi, shard));
      trust.verified(report.clean() && status.state().maintained());
      return store(report);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
    }
  }

  /** While nobody reads the entries, and before what is verified is looked at. */
  private void equip() {
    if (services.publisher().stored().status(gsi).state() != GsiState.TAILING) {
      return;
    }
    try {
      machinery.equip();
    } catch (SQLException e) {
      throw ErrorCode.GSI_STEP_FAILED.because(gsi + ": " + e.getMessage()).withCause(e);
    }
  }

  private StoredReport store(VerificationReport report) {
    long id =
        services
            .catalog()
            .storeReport(
                StoredReport.Kind.GSI,
                gsi.toString(),
                report.clean(),
                report.topologyRevision(),
                ReportJson.write(report));
    log.info(
        "gsi verified gsi={} report={} clean={} expected={} actual={} missing={} surplus={}"
            + " wrong_owner={} duplicates={}",
        gsi,
        id,
        report.clean(),
        report.counts().expected(),
        report.counts().actual(),
        report.counts().missing(),
        report.counts().surplus(),
        report.counts().wrongOwner(),
        report.counts().duplicates());
    return services
        .catalog()
        .report(id)
        .orElseThrow(() -> new IllegalStateException("report " + id + " is not stored"));
  }
}
