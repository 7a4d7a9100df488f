package org.pgconcord.daemon.build;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.daemon.topology.Wish;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.lifecycle.GsiAction;
import org.pgconcord.state.lifecycle.GsiEvent;
import org.pgconcord.verifier.VerifyRequest;
import org.pgconcord.verifier.gate.UnmetCondition;
import org.pgconcord.verifier.report.ReportJson;
import org.pgconcord.verifier.report.VerificationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations on one index, each on the index's own thread.
 *
 * <h2>Up, and why each step stands on the one before</h2>
 *
 * <ol>
 *   <li><i>tailing</i>: the gate is asked; its answer rests on a stored, clean, fresh report. The
 *       step to <i>write_only</i> is a compare-and-set on that report's revision, after the last
 *       blind transaction has ended: from its publication on, entries change under locks alone.
 *   <li>The routers are drained ({@link FenceSteps}): nobody is left who writes owner rows without
 *       their entries.
 *   <li>A fence on each owner shard, and the streams have passed it: every row that was written
 *       before the drain ended has been settled by the auditor.
 *   <li>Verified again, with everybody maintaining. Only now could a read of an entry stand for a
 *       read of all shards; the step to <i>enabled</i> is bound to this second report.
 * </ol>
 *
 * The document's wish is stored between the two steps: a crash before it leads back to tailing, a
 * crash after it on to enabled, and in either case no reader has relied on anything yet.
 *
 * <h2>Down</h2>
 *
 * The wish is withdrawn first, so that a crash anywhere goes on downwards. The life cycle's table
 * raises the read epoch before any router may stop maintaining.
 */
final class IndexOperations implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IndexOperations.class);

  /** Each round settles all that a search for differences holds at once. */
  private static final int REPAIRS = 10;

  private final GsiName gsi;
  private final EngineServices services;
  private final IndexMachinery machinery;
  private final LifecycleDriver driver;
  private final TableWatch tables;
  private final PartitionWatch partitions;
  private final GateKeeper gate;
  private final IndexThread thread;

  IndexOperations(GsiName gsi, EngineServices services) {
    this.gsi = gsi;
    this.services = services;
    this.machinery = new IndexMachinery(gsi, services);
    this.driver = new LifecycleDriver(gsi, services.publisher().steps(gsi), machinery);
    this.tables = new TableWatch(services);
    this.partitions = new PartitionWatch(services);
    this.gate = new GateKeeper(gsi, services, tables);
    this.thread = new IndexThread(gsi);
  }

  IndexThread thread() {
    return thread;
  }

  // --- what the commands do --------------------------------------------------------------------

  /** Declared (or stopped) to tailing and verified; goes on where an earlier one was cut off. */
  void build() {
    GsiStatus status = status();
    if (status.state().maintained()) {
      throw ErrorCode.GSI_WRONG_STATE.because(
          gsi + " is " + status.state().word() + " already; disable it before building it again");
    }
    if (status.state() != GsiState.TAILING) {
      thread.step("filling");
      driver.fire(GsiEvent.BUILD, "");
      thread.step("filled");
      driver.fire(GsiEvent.FILLED, "");
    } else {
      driver.fire(GsiEvent.BUILD, "");
    }
    catchUp();
    proveOrRepair();
  }

  /** Verifies and stores the report. */
  StoredReport verify() {
    requireServed();
    return verifyNow(status().state().maintained());
  }

  /** Everything that stands between the index and being enabled. */
  List<UnmetCondition> check() {
    return gate.unmet(machinery.index());
  }

  /** Through the gate to enabled; nothing to do when it is. */
  void enable() {
    GsiState state = status().state();
    if (state == GsiState.ENABLED) {
      return;
    }
    if (state == GsiState.WRITE_ONLY) {
      finishEnabling();
      return;
    }
    thread.step("gate");
    StoredReport proof = gate.require(machinery.index());
    thread.step("write_only");
    driver.fire(GsiEvent.PROVEN, "", Optional.of(evidence(proof)));
    finishEnabling();
  }

  /** Down to tailing. */
  void disable() {
    wish(false);
    while (status().state().maintained()) {
      thread.step("stepping down");
      driver.fire(GsiEvent.STEP_DOWN, "");
    }
  }

  /** Out of use at once; slots that nobody else needs are dropped, so a build begins anew. */
  void stop() {
    wish(false);
    thread.step("stopping");
    driver.fire(GsiEvent.STOP, "stopped");
  }

  /** What the document wishes, tried once: a fresh verification, then the gate. */
  void pursueWish() {
    GsiState state = status().state();
    boolean wished = services.publisher().declared(gsi).wishEnabled();
    if (!wished || state == GsiState.ENABLED) {
      return;
    }
    if (state == GsiState.TAILING) {
      proveOrRepair();
    }
    enable();
  }

  /**
   * A look at the tables' definitions between the operations. Any thread.
   *
   * @return partitions have come with rows in them: {@link #takeInPartitions} is due
   */
  boolean watchTables() {
    LookupIndex index = machinery.index();
    tables.look(index);
    return !partitions.look(index).isEmpty();
  }

  /**
   * Gives the rows of attached partitions their entries. The index is not read until a verification
   * is clean again: step down once, so that routers still maintain it, settle, and go up as ever.
   */
  void takeInPartitions() {
    LookupIndex index = machinery.index();
    List<PartitionWatch.Look> looks = partitions.look(index);
    if (looks.isEmpty()) {
      return;
    }
    List<String> names = looks.stream().flatMap(look -> look.filled().stream()).distinct().toList();
    log.warn("partitions came with rows gsi={} partitions={}", gsi, names);
    if (status().state() == GsiState.ENABLED) {
      thread.step("stepping down");
      driver.fire(GsiEvent.STEP_DOWN, "partitions came with rows: " + String.join(", ", names));
    }
    partitions.settled(index, looks);
    proveOrRepair();
    if (status().state() == GsiState.WRITE_ONLY) {
      finishEnabling();
    }
  }

  // --- at the start of a daemon ----------------------------------------------------------------

  /**
   * Takes up whatever state the catalog has, and finishes what an earlier daemon began. A slot that
   * has gone meanwhile leaves a gap that nobody can see: the index is not used until it is rebuilt.
   */
  void resume() {
    try {
      takeUp();
    } catch (ConcordException e) {
      if (e.code() != ErrorCode.SLOT_LOST) {
        throw e;
      }
      stopFor(GsiEvent.STREAM_LOST, e.message());
    }
  }

  private void takeUp() {
    GsiState state = status().state();
    boolean wished = services.publisher().declared(gsi).wishEnabled();
    switch (state) {
      case FILLING -> build();
      case TAILING -> {
        driver.fire(GsiEvent.BUILD, "");
        if (!cleanReportOfThisEpoch()) {
          catchUp();
          proveOrRepair();
        }
      }
      case WRITE_ONLY, ENABLED -> resumeMaintained(state, wished);
      case DECLARED, BLOCKED, NEEDS_RESYNC -> {}
    }
    if (wished && status().state() == GsiState.TAILING) {
      pursueWish();
    }
  }

  private void resumeMaintained(GsiState state, boolean wished) {
    driver.fire(GsiEvent.BUILD, "");
    if (!wished) {
      disable();
    } else if (state == GsiState.WRITE_ONLY) {
      proveOrRepair();
      finishEnabling();
    }
  }

  private boolean cleanReportOfThisEpoch() {
    return newestReport()
        .map(stored -> ReportJson.read(stored.document()))
        .map(report -> report.clean() && report.epoch() == status().epoch())
        .orElse(false);
  }

  // --- what the streams tell -------------------------------------------------------------------

  /** Ends a running backfill from another thread, since what it works for has ended. */
  void interrupt() {
    machinery.stop();
  }

  /** An event that stops the index. */
  void stopFor(GsiEvent event, String reason) {
    machinery.lost();
    driver.fire(event, reason);
  }

  // --- steps -----------------------------------------------------------------------------------

  private void finishEnabling() {
    thread.step("drain");
    perform(GsiAction.DRAIN);
    awaitDirectWriters();
    wish(true);
    thread.step("fences");
    passFences();
    thread.step("verify");
    StoredReport proof = verifyNow(true);
    List<UnmetCondition> unmet = gate.unmet(machinery.index());
    if (!unmet.isEmpty()) {
      log.warn("gsi verification in write_only is not clean, stepping down gsi={}", gsi);
      disable();
      throw gate.refusal(unmet);
    }
    thread.step("enable");
    driver.fire(GsiEvent.PROVEN_AGAIN, "", Optional.of(evidence(proof)));
  }

  private void perform(GsiAction action) {
    try {
      machinery.perform(action, status());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw ErrorCode.GSI_STEP_FAILED.because(gsi + ": " + e.getMessage()).withCause(e);
    }
  }

  private void awaitDirectWriters() {
    try {
      machinery.awaitDirectWriters();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
    }
  }

  private void catchUp() {
    thread.step("tailing");
    new CatchUp(gsi, services).run(machinery.ownerShards());
  }

  private void passFences() {
    new CatchUp(gsi, services).pass(machinery.ownerShards());
  }

  /**
   * In {@code tailing}: verifies, has what is wrong settled while the streams pause ({@link
   * org.pgconcord.cdc.apply.StreamPause}), and verifies again. The streams catch up in between,
   * since only then the entries are true. Ends when the report is clean or nothing more could be
   * changed: duplicates stay until a person resolves them.
   */
  private StoredReport proveOrRepair() {
    StoredReport report = verifyNow(true);
    for (int round = 1; round <= REPAIRS && !report.clean() && repaired(report) > 0; round++) {
      log.warn(
          "gsi entries settled in tailing gsi={} report={} changed={}",
          gsi,
          report.id(),
          repaired(report));
      passFences();
      report = verifyNow(true);
    }
    return report;
  }

  private static long repaired(StoredReport report) {
    return ReportJson.read(report.document()).repaired();
  }

  private StoredReport verifyNow(boolean repair) {
    thread.step("verify");
    LookupIndex index = machinery.index();
    new ConflictReview(services).run(index);
    index.ownerShards().forEach(shard -> services.board().begin(gsi, shard, "verify"));
    CatalogState stored = services.publisher().stored();
    GsiStatus status = stored.status(gsi);
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
      return store(report);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
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

  private void requireServed() {
    GsiState state = status().state();
    if (state != GsiState.TAILING && !state.maintained()) {
      throw ErrorCode.GSI_WRONG_STATE.because(
          gsi + " is " + state.word() + ": there is nothing to verify before it is built");
    }
  }

  /** Stores the wish as a new revision of the document unless it is there. */
  private void wish(boolean enabled) {
    CatalogState stored = services.publisher().stored();
    boolean already = services.publisher().declared(gsi).wishEnabled() == enabled;
    if (!already && stored.document().isPresent()) {
      String document = Wish.set(stored.document().get().text(), gsi, enabled);
      services
          .catalog()
          .apply(
              document,
              OptionalLong.of(stored.revision()),
              (enabled ? "enable " : "disable ") + gsi);
      services.publisher().reload();
    }
  }

  private static StepTaker.Evidence evidence(StoredReport report) {
    return new StepTaker.Evidence(report.id(), report.revision());
  }

  GsiStatus status() {
    return services.publisher().stored().status(gsi);
  }

  Optional<StoredReport> newestReport() {
    return services.catalog().newestReport(StoredReport.Kind.GSI, gsi.toString());
  }

  @Override
  public void close() {
    machinery.stop();
    thread.close();
    machinery.close();
  }
}
