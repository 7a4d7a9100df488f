package org.pgconcord.backfill;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

/** Phase 2: opens all runs, cuts them once, and loads what is missing. */
final class Loads {
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

  Loaded run(LoadClaim claim, RowOrder order, ExecutorService workers) throws IOException {
    List<Source> sources = new ArrayList<>();
    try {
      Map<ShardId, ProgressMeter> meters = openAll(sources);
      RangePlan plan = plan(sources, order);
      Load load =
          new Load(
              index, claim, sessions, services.options(), services.findings(), services.hook());
      Loaded loaded = load.run(sources, plan, order, workers);
      meters.values().forEach(ProgressMeter::end);
      return loaded;
    } finally {
      for (Source source : sources) {
        source.run().close();
      }
    }
  }

  /** All runs in a fixed order, shard by shard: it decides which of several owners is loaded. */
  private Map<ShardId, ProgressMeter> openAll(List<Source> sources) throws IOException {
    Map<ShardId, ProgressMeter> meters = new TreeMap<>();
    for (Map.Entry<String, ShardNote> part : new TreeMap<>(journal.note().shards()).entrySet()) {
      ShardId shard = new ShardId(part.getKey());
      ProgressMeter meter = new ProgressMeter(shard, Phase.LOAD, part.getValue().rows(), sink);
      meters.put(shard, meter);
      List<RunNote> runs = new ArrayList<>(part.getValue().runs());
      runs.sort(java.util.Comparator.comparingInt(RunNote::range));
      for (RunNote run : runs) {
        sources.add(new Source(RunFile.open(directory.path(), run), shard, meter));
      }
    }
    return meters;
  }

  private RangePlan plan(List<Source> sources, RowOrder order) {
    List<byte[]> cuts = journal.note().cuts();
    if (cuts != null) {
      return new RangePlan(cuts);
    }
    RangePlan plan =
        RangePlan.cut(
            sources.stream().map(Source::run).toList(), order, services.options().loadRangeBytes());
    journal.noteCuts(plan.cuts());
    services.hook().reached(BuildStep.CUTS_NOTED);
    return plan;
  }
}
