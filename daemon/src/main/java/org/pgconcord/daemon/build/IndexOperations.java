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
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.topology.Wish;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.lifecycle.GsiAction;
import org.pgconcord.state.lifecycle.GsiEvent;
import org.pgconcord.verifier.gate.UnmetCondition;
import org.pgconcord.verifier.report.ReportJson;
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

  private final GsiName gsi;
  private final EngineServices services;
  private final IndexMachinery machinery;
  private final LifecycleDriver driver;
  private final TableWatch tables;
  private final PartitionWatch partitions;
  private final GateKeeper gate;
  private final IndexThread thread;
  private final IndexVerification verification;

  IndexOperations(GsiName gsi, EngineServices services) {
    this.gsi = gsi;
    this.services = services;
    this.machinery = new IndexMachinery(gsi, services);
    this.driver = new LifecycleDriver(gsi, services.publisher().steps(gsi), machinery);
    this.tables = new TableWatch(services);
    this.partitions = new PartitionWatch(services);
    this.gate = new GateKeeper(gsi, services, tables);
    this.thread = new IndexThread(gsi);
    this.verification = new IndexVerification(gsi, services, machinery, tables, thread);
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
    verification.catchUp();
    verification.proveOrRepair();
  }

  /** Verifies and stores the report. */
  StoredReport verify() {
    requireServed();
    return verification.verify(status().state().maintained());
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
      verification.proveOrRepair();
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
    verification.proveOrRepair();
    if (status().state() == GsiState.WRITE_ONLY) {
      finishEnabling();
    }
  }

  /**
   * A shard has another server, which may not have all that the one before has acknowledged. What
   * is read of the index must have been compared since; what it is filled with begins anew when its
   * entries may be gone.
   */
  void serverChanged(ShardId shard) {
    LookupIndex index = machinery.index();
    boolean entries = index.lookupShards().contains(shard);
    String reason = "shard " + shard + " has another server";
    GsiState state = status().state();
    if (state == GsiState.ENABLED && (entries || index.ownerShards().contains(shard))) {
      driver.fire(GsiEvent.LOOKUP_CHANGED, reason);
    } else if (entries && (state == GsiState.FILLING || state == GsiState.TAILING)) {
      stopFor(GsiEvent.LOOKUP_CHANGED, reason);
    }
  }

  /** A build is under way that would not be whole any more. */
  boolean isFilledOn(ShardId shard) {
    return status().state() == GsiState.FILLING && machinery.index().lookupShards().contains(shard);
  }

  /** Up again, by the same proof as ever, where it was led down for that. */
  void proveAgain() {
    if (status().state() == GsiState.WRITE_ONLY) {
      verification.proveOrRepair();
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
          verification.catchUp();
          verification.proveOrRepair();
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
      verification.proveOrRepair();
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
    verification.passFences();
    thread.step("verify");
    StoredReport proof = verification.verify(true);
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
