package org.pgconcord.daemon.build;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.verifier.VerifyOptions;
import org.pgconcord.verifier.reference.ReferenceReport;
import org.pgconcord.verifier.reference.ReferenceVerifier;

/** Verifies reference tables and stores the reports. Blocks; any thread. */
public final class ReferenceOperations {
  private final Catalog catalog;
  private final RoutingPublisher publisher;
  private final ShardConnections connections;
  private final Executor threads;
  private final Clock clock;

  public ReferenceOperations(
      Catalog catalog,
      RoutingPublisher publisher,
      ShardConnections connections,
      Executor threads,
      Clock clock) {
    this.catalog = catalog;
    this.publisher = publisher;
    this.connections = connections;
    this.threads = threads;
    this.clock = clock;
  }

  private record Found(String database, TableName table, List<ShardId> copies) {
    boolean named(String name) {
      return name.equals(table.name())
          || name.equals(table.toString())
          || name.equals(database + "." + table);
    }
  }

  /**
   * Compares the copies.
   *
   * @param name {@code countries}, {@code public.countries} or {@code app.public.countries}
   */
  public StoredReport verify(String name) throws InterruptedException {
    Found found = find(name);
    long revision = publisher.current().revision();
    ReferenceReport report =
        new ReferenceVerifier(
                shard -> connections.open(shard, found.database()),
                threads,
                clock,
                new SecureRandom(),
                VerifyOptions.defaults())
            .verify(found.database(), found.table(), found.copies(), revision);
    long id =
        catalog.storeReport(
            StoredReport.Kind.REFERENCE,
            found.database() + "." + found.table(),
            report.clean(),
            revision,
            report.toJson());
    return catalog
        .report(id)
        .orElseThrow(() -> new IllegalStateException("report " + id + " is not stored"));
  }

  private Found find(String name) {
    List<Found> found = all().stream().filter(table -> table.named(name)).toList();
    if (found.size() != 1) {
      throw ErrorCode.REFERENCE_UNKNOWN
          .because(
              found.isEmpty()
                  ? "the applied topology declares no reference table " + name
                  : name + " may be one of several reference tables")
          .withDetail(
              "declared: " + all().stream().map(t -> t.database() + "." + t.table()).toList());
    }
    return found.get(0);
  }

  private List<Found> all() {
    List<Found> all = new ArrayList<>();
    for (LogicalDatabase database : publisher.current().topology().databases().values()) {
      database
          .tables()
          .forEach(
              (table, placement) -> {
                if (placement instanceof Placement.Reference reference) {
                  all.add(new Found(database.name(), table, reference.shards()));
                }
              });
    }
    return all;
  }
}
