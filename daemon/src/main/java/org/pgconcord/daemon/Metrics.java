package org.pgconcord.daemon;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.replica.ReplicaWatch;
import org.pgconcord.daemon.build.GsiOperations.Overview;
import org.pgconcord.daemon.build.ShardProgress;
import org.pgconcord.daemon.transactions.ResolverCounts;
import org.pgconcord.router.tx.RouterEpochs;

/**
 * Every meter of the daemon; docs/metrics.md is made from this registry. Those of the indexes are
 * read when they are scraped.
 */
final class Metrics implements AutoCloseable {
  private static final Duration BOUND = Duration.ofSeconds(30);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Supplier<List<Overview>> gsis;
  private final MultiGauge states;
  private final MultiGauge conflicts;
  private final MultiGauge clean;
  private final MultiGauge reportAge;
  private final List<ShardGauge> shards = new ArrayList<>();

  private record ShardGauge(MultiGauge gauge, ToDoubleFunction<ShardProgress> value) {}

  Metrics(Supplier<List<Overview>> gsis, RouterEpochs epochs) {
    this.gsis = gsis;
    Gauge.builder("pgconcord.topology.revision", epochs, e -> e.current().revision())
        .description("The catalog's revision that the router works under.")
        .register(registry);
    states = gauge("gsi.state", "1 for the state that an index is in, 0 for the others.");
    conflicts = gauge("gsi.conflicts", "Keys with several owner rows, not resolved.");
    clean = gauge("gsi.report.clean", "1 when the newest verification report is clean.");
    reportAge =
        gauge("gsi.report.timestamp.seconds", "When the newest report was stored, Unix time.");
    shard(
        "gsi.phase.percent",
        "How far the phase that runs, or ran last, is.",
        ShardProgress::percent);
    shard("gsi.phase.rows", "Rows done in that phase.", ShardProgress::rows);
    shard(
        "gsi.lag.bytes", "Log of an owner shard that is not applied yet.", ShardProgress::lagBytes);
    shard(
        "gsi.lag.seconds", "Age of the oldest change not applied yet.", ShardProgress::lagSeconds);
    shard(
        "gsi.wal.retained.bytes",
        "Log that an owner shard keeps for the stream.",
        ShardProgress::walRetainedBytes);
    bindJvm();
  }

  private void bindJvm() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  private MultiGauge gauge(String name, String description) {
    return MultiGauge.builder("pgconcord." + name).description(description).register(registry);
  }

  private void shard(String name, String description, ToDoubleFunction<ShardProgress> value) {
    shards.add(new ShardGauge(gauge(name, description), value));
  }

  /** Shows what the resolver of transactions over several shards sees and does. */
  void watch(ResolverCounts counts) {
    Gauge.builder("pgconcord.tx.open", counts, ResolverCounts::openNow)
        .description("Two-phase transactions that have not ended, at the resolver's last look.")
        .register(registry);
    Gauge.builder("pgconcord.tx.oldest.seconds", counts, ResolverCounts::oldestSeconds)
        .description("Age of the oldest two-phase transaction that has not ended.")
        .register(registry);
    Gauge.builder("pgconcord.tx.unknown", counts, ResolverCounts::unknownNow)
        .description("Prepared transactions of this cluster that the catalog does not know.")
        .register(registry);
    for (Decision decision : Decision.values()) {
      FunctionCounter.builder("pgconcord.tx.settled", counts, c -> c.settledSoFar(decision))
          .tag("decision", decision.word())
          .description("Two-phase transactions that the resolver has ended.")
          .register(registry);
    }
  }

  /** Shows what is known of the shards' replicas. */
  void watch(ReplicaWatch replicas) {
    Gauge.builder("pgconcord.router.replicas", replicas, ReplicaWatch::configured)
        .description("Replicas of shards that the configuration names.")
        .register(registry);
    Gauge.builder("pgconcord.router.replicas.readable", replicas, r -> r.readable(BOUND))
        .description("Those of them that would be read now with a bound of 30 s.")
        .register(registry);
    Gauge.builder("pgconcord.router.replicas.lag.seconds", replicas, Metrics::lag)
        .description("The largest lag of a replica that answers; 0 without any.")
        .register(registry);
  }

  private static double lag(ReplicaWatch replicas) {
    return replicas.lag().toMillis() / (double) TimeUnit.SECONDS.toMillis(1);
  }

  MeterRegistry registry() {
    return registry;
  }

  /** Prometheus' text format, of now. */
  synchronized String scrape() {
    List<Overview> all = gsis.get();
    states.register(all.stream().flatMap(one -> stateRows(one).stream()).toList(), true);
    conflicts.register(all.stream().map(one -> row(one, (double) one.conflicts())).toList(), true);
    clean.register(
        all.stream()
            .flatMap(one -> one.report().map(r -> row(one, r.clean() ? 1 : 0)).stream())
            .toList(),
        true);
    reportAge.register(
        all.stream()
            .flatMap(
                one ->
                    one
                        .report()
                        .map(r -> row(one, (double) r.storedAt().getEpochSecond()))
                        .stream())
            .toList(),
        true);
    List<ShardProgress> progress = all.stream().flatMap(one -> one.shards().stream()).toList();
    for (ShardGauge gauge : shards) {
      gauge
          .gauge()
          .register(
              progress.stream()
                  .map(
                      one ->
                          Row.of(
                              Tags.of("gsi", one.gsi().toString(), "shard", one.shard().uid()),
                              gauge.value().applyAsDouble(one)))
                  .toList(),
              true);
    }
    return registry.scrape();
  }

  private static List<Row<?>> stateRows(Overview one) {
    List<Row<?>> rows = new ArrayList<>();
    for (GsiState state : GsiState.values()) {
      rows.add(
          Row.of(
              Tags.of("gsi", one.gsi().toString(), "state", state.word()),
              one.status().state() == state ? 1 : 0));
    }
    return rows;
  }

  private static Row<?> row(Overview one, double value) {
    return Row.of(Tags.of("gsi", one.gsi().toString()), value);
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
