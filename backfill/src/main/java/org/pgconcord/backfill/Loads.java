package org.pgconcord.backfill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import org.pgconcord.backfill.BackfillProgress.Phase;
import org.pgconcord.backfill.BuildNote.ShardNote;
import org.pgconcord.backfill.load.Load;
import org.pgconcord.backfill.load.Load.Source;
import org.pgconcord.backfill.load.LoadClaim;
import org.pgconcord.backfill.load.LoadClaim.Loaded;
import org.pgconcord.backfill.merge.RangePlan;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunFile;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * Phase 2, for each lookup shard apart: opens its runs, cuts them once, and loads what is missing.
 */
final class Loads {
  /** Lookup shards loaded side by side: each merge has all owner shards' runs of its own open. */
  static final int AT_ONCE = 2;

  private final BackfillServices services;
  private final BackfillProgress.Sink sink;
  private final BuildJournal journal;
  private final BuildDirectory directory;
  private final LookupIndex index;
  private final Sessions sessions;

  Loads(
      LookupIndex index,
      BackfillServices services,
      BackfillProgress.Sink sink,
      Sessions sessions,
      BuildJournal journal,
      BuildDirectory directory) {
    this.index = index;
    this.services = services;
    this.sink = sink;
    this.sessions = sessions;
    this.journal = journal;
    this.directory = directory;
  }

  /**
   * Loads these lookup shards.
   *
   * @param workers has room for {@link #AT_ONCE} threads that wait for others
   */
  Map<ShardId, Loaded> run(
      Set<ShardId> lookups, LoadClaim claim, RowOrder order, ExecutorService workers) {
    Map<ShardId, ProgressMeter> meters = new TreeMap<>();
    journal
        .note()
        .shards()
        .forEach((uid, part) -> meters.put(new ShardId(uid), meter(new ShardId(uid), part)));
    Map<ShardId, Loaded> loaded = new ConcurrentHashMap<>();
    Queue<ShardId> open = new ConcurrentLinkedQueue<>(lookups);
    List<CompletableFuture<Void>> drivers = new ArrayList<>();
    for (int i = 0; i < Math.min(AT_ONCE, lookups.size()); i++) {
      drivers.add(
          CompletableFuture.runAsync(
              () -> {
                for (ShardId one = open.poll(); one != null; one = open.poll()) {
                  loaded.put(one, load(one, claim, order, meters, workers));
                }
              },
              workers));
    }
    CompletableFuture.allOf(drivers.toArray(CompletableFuture[]::new)).join();
    meters.values().forEach(ProgressMeter::end);
    return loaded;
  }

  private ProgressMeter meter(ShardId shard, ShardNote part) {
    return new ProgressMeter(shard, Phase.LOAD, part.rows(), sink);
  }

  private Loaded load(
      ShardId lookup,
      LoadClaim claim,
      RowOrder order,
      Map<ShardId, ProgressMeter> meters,
      ExecutorService workers) {
    List<Source> sources = new ArrayList<>();
    try {
      try {
        open(lookup, meters, sources);
        RangePlan plan = plan(lookup, sources, order);
        return new Load(
                index,
                lookup,
                claim,
                sessions,
                services.options(),
                services.findings(),
                services.hook())
            .run(sources, plan, order, workers);
      } finally {
        for (Source source : sources) {
          source.run().close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its runs in a fixed order, shard by shard: it decides which of several owners is loaded. */
  private void open(ShardId lookup, Map<ShardId, ProgressMeter> meters, List<Source> sources)
      throws IOException {
    for (Map.Entry<ShardId, ProgressMeter> owner : meters.entrySet()) {
      List<RunNote> runs =
          journal.shard(owner.getKey()).map(ShardNote::runs).orElse(List.of()).stream()
              .filter(run -> run.lookup().equals(lookup.uid()))
              .sorted(Comparator.comparingInt(RunNote::range))
              .toList();
      for (RunNote run : runs) {
        sources.add(
            new Source(RunFile.open(directory.path(), run), owner.getKey(), owner.getValue()));
      }
    }
  }

  private RangePlan plan(ShardId lookup, List<Source> sources, RowOrder order) {
    List<byte[]> cuts = journal.note().cuts().get(lookup.uid());
    if (cuts != null) {
      return new RangePlan(cuts);
    }
    RangePlan plan =
        RangePlan.cut(
            sources.stream().map(Source::run).toList(), order, services.options().loadRangeBytes());
    journal.noteCuts(lookup, plan.cuts());
    services.hook().reached(BuildStep.CUTS_NOTED);
    return plan;
  }
}
