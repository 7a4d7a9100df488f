package org.pgconcord.daemon.build;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.CopyStatus;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.build.ReferenceTables.Declared;
import org.pgconcord.verifier.VerifyOptions;
import org.pgconcord.verifier.reference.CopyReport;
import org.pgconcord.verifier.reference.ReferenceRepair;
import org.pgconcord.verifier.reference.ReferenceReport;
import org.pgconcord.verifier.reference.ReferenceVerifier;
import org.pgconcord.verifier.reference.RepairReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies and repairs reference tables, and keeps their marks by what it finds. Blocks; any
 * thread.
 *
 * <p>A verification that finds nothing wrong and no mark takes no lock. Whatever sets or clears a
 * mark is decided by a comparison under the locks that keep every writer away, and done before they
 * are let go (docs/decisions/0008).
 */
public final class ReferenceOperations {
  private static final Logger log = LoggerFactory.getLogger(ReferenceOperations.class);

  public static final String AFTER_UNCLEAN_END =
      "the daemon before this one did not end cleanly; not verified since";

  private final Catalog catalog;
  private final RoutingPublisher publisher;
  private final MarkedCopies marks;
  private final ShardConnections connections;
  private final Executor threads;
  private final Clock clock;

  public ReferenceOperations(
      Catalog catalog,
      RoutingPublisher publisher,
      MarkedCopies marks,
      ShardConnections connections,
      Executor threads,
      Clock clock) {
    this.catalog = catalog;
    this.publisher = publisher;
    this.marks = marks;
    this.connections = connections;
    this.threads = threads;
    this.clock = clock;
  }

  /**
   * What is known of a table's copies.
   *
   * @param copies all of them, sorted; a copy that was never marked has no status
   */
  public record Overview(
      CopiedTable table,
      ShardId leader,
      List<ShardId> copies,
      Map<ShardId, CopyStatus> statuses,
      Optional<StoredReport> report) {}

  public Overview overview(String name) {
    return overview(find(name));
  }

  public List<Overview> all() {
    return ReferenceTables.all(publisher.current().topology()).stream()
        .map(this::overview)
        .toList();
  }

  private Overview overview(Declared table) {
    return new Overview(
        table.table(),
        table.leader(),
        table.copies(),
        catalog.copies(table.table()),
        catalog.newestReport(StoredReport.Kind.REFERENCE, table.table().toString()));
  }

  // --- verify ----------------------------------------------------------------------------------

  /**
   * Compares the copies and sets or clears their marks.
   *
   * @param name {@code countries}, {@code public.countries} or {@code app.public.countries}
   * @throws ConcordException {@code reference/busy} when the copies look equal but a writer keeps
   *     the locks under which a mark could be cleared
   */
  public StoredReport verify(String name) throws InterruptedException {
    return verify(find(name));
  }

  private StoredReport verify(Declared found) throws InterruptedException {
    long revision = publisher.current().revision();
    ReferenceVerifier verifier = verifier(found);
    CopiedTable table = found.table();
    ReferenceReport report =
        verifier.verify(table.database(), table.table(), found.copies(), revision);
    if (!report.clean() || !marks.of(table).isEmpty()) {
      report = underLocks(found, verifier, report, revision);
    }
    long id =
        catalog.storeReport(
            StoredReport.Kind.REFERENCE,
            table.toString(),
            report.clean(),
            revision,
            report.toJson());
    return catalog
        .report(id)
        .orElseThrow(() -> new IllegalStateException("report " + id + " is not stored"));
  }

  private ReferenceReport underLocks(
      Declared found, ReferenceVerifier verifier, ReferenceReport seen, long revision)
      throws InterruptedException {
    CopiedTable table = found.table();
    try {
      return verifier.verifyLocked(
          table.database(), table.table(), found.copies(), revision, now -> judge(found, now));
    } catch (ConcordException e) {
      if (e.code() != ErrorCode.REFERENCE_BUSY || seen.clean()) {
        throw e;
      }
      markDiffering(found, seen);
      return seen;
    }
  }

  /** The locks are held: what is equal now stays so until somebody marks it anew. */
  private void judge(Declared found, ReferenceReport report) {
    markDiffering(found, report);
    List<ShardId> cleared =
        marks.of(found.table()).stream()
            .filter(shard -> report.complete() && equal(report, shard))
            .toList();
    if (!cleared.isEmpty()) {
      marks.set(found.table(), cleared, "");
      log.info("copies found equal table={} shards={}", found.table(), cleared);
    }
  }

  private static boolean equal(ReferenceReport report, ShardId shard) {
    return report.copies().stream()
        .filter(copy -> copy.shard().equals(shard.uid()))
        .allMatch(copy -> copy.equalsLeader() && copy.inFlight() == 0);
  }

  private void markDiffering(Declared found, ReferenceReport report) {
    for (CopyReport copy : report.copies()) {
      if (!copy.equalsLeader()) {
        String reason =
            "verified: %d missing, %d surplus, %d different"
                .formatted(copy.missing(), copy.surplus(), copy.different());
        marks.set(found.table(), List.of(new ShardId(copy.shard())), reason);
        log.warn("copy differs table={} shard={} {}", found.table(), copy.shard(), reason);
      }
    }
  }

  private ReferenceVerifier verifier(Declared found) {
    return new ReferenceVerifier(
        shard -> connections.open(shard, found.table().database()),
        threads,
        clock,
        new SecureRandom(),
        VerifyOptions.defaults());
  }

  // --- repair ----------------------------------------------------------------------------------

  /**
   * Makes the copies equal to one of them.
   *
   * @param source by default the leader
   * @param dryRun only list what would change
   */
  public RepairReport repair(String name, Optional<String> source, boolean dryRun) {
    Declared found = find(name);
    CopiedTable table = found.table();
    ShardId from = source.map(ShardId::new).orElse(found.leader());
    if (!found.copies().contains(from)) {
      throw ErrorCode.REFERENCE_UNKNOWN
          .because("table %s has no copy on shard %s".formatted(table, from))
          .withDetail("its copies: " + found.copies());
    }
    RepairReport report =
        new ReferenceRepair(shard -> connections.open(shard, table.database()))
            .repair(
                table.database(),
                table.table(),
                found.copies(),
                from,
                dryRun,
                () -> clearMarks(table));
    log.info(
        "reference table repaired table={} source={} dry_run={} changed={}",
        table,
        from,
        dryRun,
        report.changed());
    return report;
  }

  private void clearMarks(CopiedTable table) {
    if (!marks.of(table).isEmpty()) {
      marks.set(table, marks.of(table), "");
    }
  }

  // --- the start of a daemon -------------------------------------------------------------------

  /** Marks every copy: a write of a router that is gone may have ended between two commits. */
  public void markAll(String reason) {
    for (Declared table : ReferenceTables.all(publisher.current().topology())) {
      if (!table.others().isEmpty()) {
        marks.set(table.table(), table.others(), reason);
        log.info("copies marked until verified table={} shards={}", table.table(), table.others());
      }
    }
  }

  /** Verifies each table that has a marked copy; a failure leaves its marks. */
  public CompletableFuture<Void> verifyMarked() {
    List<Declared> marked =
        ReferenceTables.all(publisher.current().topology()).stream()
            .filter(table -> !marks.of(table.table()).isEmpty())
            .toList();
    return CompletableFuture.runAsync(
        () -> marked.forEach(this::verifyQuietly), ReferenceOperations::onThreadOfItsOwn);
  }

  /** A verification waits for the threads that read copies, so it is none of them. */
  private static void onThreadOfItsOwn(Runnable work) {
    Thread thread = new Thread(work, "verify-copies");
    thread.setDaemon(true);
    thread.start();
  }

  private void verifyQuietly(Declared table) {
    try {
      StoredReport report = verify(table);
      log.info("marked copies verified table={} clean={}", table.table(), report.clean());
    } catch (ConcordException e) {
      log.warn("marked copies not verified table={} cause=\"{}\"", table.table(), e.message());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Declared find(String name) {
    return ReferenceTables.find(publisher.current().topology(), name);
  }
}
