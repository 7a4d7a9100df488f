package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.pgconcord.cdc.apply.ParkedEntry;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.DefinitionHash;
import org.pgconcord.verifier.gate.GateCheck;
import org.pgconcord.verifier.gate.GateFacts;
import org.pgconcord.verifier.gate.UnmetCondition;
import org.pgconcord.verifier.report.ReportJson;

/** Gathers what the gate looks at, and refuses in one message that lists all that is unmet. */
final class GateKeeper {
  private static final Duration LAG_LIMIT = Duration.ofSeconds(10);
  private static final int PARKED_MAX = 1_000;

  private final GsiName gsi;
  private final EngineServices services;
  private final TableWatch tables;

  GateKeeper(GsiName gsi, EngineServices services, TableWatch tables) {
    this.gsi = gsi;
    this.services = services;
    this.tables = tables;
  }

  /** Everything that is unmet now; empty when the index may be enabled. */
  List<UnmetCondition> unmet(LookupIndex index) {
    CatalogState stored = services.publisher().stored();
    GsiState state = stored.status(gsi).state();
    List<UnmetCondition> unmet = new ArrayList<>();
    boolean built = state == GsiState.TAILING || state.maintained();
    if (!built) {
      unmet.add(
          new UnmetCondition(
              "gate/state", "the index is " + state.word() + "; build it until it is tailing"));
    }
    unmet.addAll(GateCheck.unmet(facts(index, stored, built)));
    services
        .preconditions()
        .unmet(services.publisher().current().topology(), index.gsi())
        .forEach(line -> unmet.add(new UnmetCondition("gate/precondition", line)));
    return unmet;
  }

  /**
   * The report to bind the step to.
   *
   * @throws ConcordException {@code gsi/gate-refused} with every unmet condition
   */
  StoredReport require(LookupIndex index) {
    List<UnmetCondition> unmet = unmet(index);
    if (!unmet.isEmpty()) {
      throw refusal(unmet);
    }
    return newestReport().orElseThrow(() -> new IllegalStateException("the gate saw a report"));
  }

  ConcordException refusal(List<UnmetCondition> unmet) {
    String count = unmet.size() == 1 ? "1 condition is" : unmet.size() + " conditions are";
    return ErrorCode.GATE_REFUSED
        .because(gsi + " cannot be enabled: " + count + " not met")
        .withDetail(
            unmet.stream()
                .map(condition -> condition.message() + " [" + condition.id() + "]")
                .collect(Collectors.joining("\n")));
  }

  private GateFacts facts(LookupIndex index, CatalogState stored, boolean built) {
    Map<ShardId, Optional<GateFacts.Stream>> streams = new HashMap<>();
    for (ShardId shard : index.ownerShards()) {
      streams.put(shard, built ? stream(shard) : Optional.empty());
    }
    long parked = built ? lastingParked(index) : 0;
    return new GateFacts(
        newestReport().map(report -> ReportJson.read(report.document())),
        DefinitionHash.of(index),
        stored.revision(),
        stored.status(gsi).epoch(),
        tables(index),
        services.clock().instant(),
        streams,
        parked,
        services.catalog().countConflicts(gsi));
  }

  private Map<String, Optional<GateFacts.Table>> tables(LookupIndex index) {
    Map<String, Optional<GateFacts.Table>> facts = new HashMap<>();
    tables
        .look(index)
        .forEach(
            (place, version) ->
                facts.put(
                    place, version.map(v -> new GateFacts.Table(v.mark(), v.seenAt(), v.at()))));
    return facts;
  }

  /**
   * Under writers that move keys some insert waits at any moment, each for a short time. What
   * counts is one that waits now and still does when the streams have had time to bring its end.
   */
  private long lastingParked(LookupIndex index) {
    Set<Entry> lasting = openParked(index);
    long begin = System.nanoTime();
    while (!lasting.isEmpty() && System.nanoTime() - begin < LAG_LIMIT.toNanos()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      lasting.retainAll(openParked(index));
    }
    return lasting.size();
  }

  private Set<Entry> openParked(LookupIndex index) {
    return services.tails().parked(index, PARKED_MAX).stream()
        .filter(parked -> !parked.duplicate())
        .map(ParkedEntry::entry)
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** The lag is measured: how long the stream takes to come to where the server's log ends now. */
  private Optional<GateFacts.Stream> stream(ShardId shard) {
    try (Connection connection = services.sessions().open(shard)) {
      Lsn end = Fences.position(connection);
      long begin = System.nanoTime();
      boolean arrived = services.tails().positions().awaitApplied(shard, end, LAG_LIMIT);
      Duration lag = arrived ? Duration.ofNanos(System.nanoTime() - begin) : LAG_LIMIT;
      return Optional.of(new GateFacts.Stream(services.tails().positions().applied(shard), lag));
    } catch (SQLException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.GSI_STOPPED.because(gsi + ": interrupted").withCause(e);
    }
  }

  private Optional<StoredReport> newestReport() {
    return services.catalog().newestReport(StoredReport.Kind.GSI, gsi.toString());
  }
}
