package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.pgconcord.config.statistics.EntryStatistics;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.sql.StatementText;

/**
 * Which of the indexes that can lead a query does so for these values, or whether all shards are
 * asked at once (docs/decisions/0027). All of them answer alike, so that statistics decide on the
 * cost alone. Pure.
 *
 * <p>A unique index names one row for each value and is always taken. The cost of others is counted
 * in shards that are asked: one for the lookup, those that the entries name, and one for each
 * thousand entries that have to be read and sent along. Where nothing is known of an index it
 * counts as much as a scatter, and comes before that.
 *
 * @param plan a {@link Plan.GsiRead} whose {@code otherwise} is the wide plan, or the wide plan
 * @param why what was estimated, in words
 */
public record IndexChoice(Plan plan, List<String> why) {
  private static final double ENTRIES_LIKE_A_SHARD = 1_000;

  /** What an index would cost; nothing is known of it without a cost. */
  record Estimate(LookupRead lookup, Optional<Double> cost, String words) {
    double costOr(double unknown) {
      return cost.orElse(unknown);
    }
  }

  public static IndexChoice of(
      Plan.GsiRead read, StatementText text, Parameters parameters, IndexCosts costs) {
    List<Estimate> estimates = new ArrayList<>();
    Plan next = read;
    while (next instanceof Plan.GsiRead one) {
      estimate(one.lookup(), text, parameters, costs.statistics()).ifPresent(estimates::add);
      next = one.otherwise();
    }
    Plan wide = next;
    boolean unique = read.lookup().index().gsi().unique();
    if (!(wide instanceof Plan.Scatter scatter) || unique || estimates.isEmpty()) {
      return new IndexChoice(read, List.of());
    }
    int all = scatter.shards(text, parameters).size();
    Best best = Best.of(estimates, all, costs.wideAllowed());
    return new IndexChoice(
        best.lookup().<Plan>map(l -> new Plan.GsiRead(read.facts(), l, wide)).orElse(wide),
        best.why());
  }

  /**
   * The cheapest of several.
   *
   * @param lookup empty where asking all shards at once is cheaper
   * @param why what was estimated, in words
   */
  record Best(Optional<LookupRead> lookup, List<String> why) {
    /**
     * @param all how many shards are asked without an index
     */
    static Best of(List<Estimate> estimates, int all, boolean wideAllowed) {
      Estimate best = estimates.get(0);
      for (Estimate other : estimates) {
        best = other.costOr(all) < best.costOr(all) ? other : best;
      }
      boolean dear = wideAllowed && best.costOr(all) > all;
      List<String> why = new ArrayList<>();
      for (Estimate estimate : estimates) {
        if (estimate.cost().isPresent()) {
          why.add(
              estimate.words()
                  + (dear ? ", dearer than asking all " + all : "")
                  + (!dear && !estimate.equals(best)
                      ? ", dearer than index " + best.lookup().index().name()
                      : ""));
        }
      }
      return new Best(dear ? Optional.empty() : Optional.of(best.lookup()), why);
    }
  }

  /** Empty where the values do not lead to keys, or are missing. */
  static Optional<Estimate> estimate(
      LookupRead lookup, StatementText text, Parameters parameters, IndexStatistics statistics) {
    if (!(lookup.keys(text, parameters) instanceof LookupRead.Keys.Known known)) {
      return Optional.empty();
    }
    LookupIndex index = lookup.index();
    double entries = 0;
    double tenants = 0;
    for (Tuple key : known.keys()) {
      ShardId shard = index.lookupShard(key);
      Optional<EntryStatistics> found = statistics.of(index.name(), shard);
      if (found.isEmpty()) {
        return Optional.of(new Estimate(lookup, Optional.empty(), ""));
      }
      double own = found.get().entries(names(index.key()), key.values());
      entries += own;
      tenants += occupied(own, found.get().values(names(index.shardKey())));
    }
    return Optional.of(estimate(lookup, entries, tenants));
  }

  /** One entry for each key of a unique index, whatever the statistics say. */
  static Optional<Estimate> ofUnique(LookupRead lookup, StatementText text, Parameters parameters) {
    return lookup.keys(text, parameters) instanceof LookupRead.Keys.Known known
        ? Optional.of(estimate(lookup, known.keys().size(), known.keys().size()))
        : Optional.empty();
  }

  private static Estimate estimate(LookupRead lookup, double entries, double tenants) {
    LookupIndex index = lookup.index();
    int shards = index.ownerShards().size();
    double visited = occupied(tenants, shards);
    double cost = 1 + visited + Math.max(0, entries - 1) / ENTRIES_LIKE_A_SHARD;
    return new Estimate(
        lookup,
        Optional.of(cost),
        String.format(
            Locale.ROOT,
            "index %s: about %.0f entries on %.1f of %d shards",
            index.name(),
            entries,
            visited,
            shards));
  }

  private static List<String> names(List<IndexColumn> columns) {
    return columns.stream().map(c -> c.column().name()).toList();
  }

  /** How many of so many places are hit by so many that choose at random. */
  private static double occupied(double balls, double places) {
    return balls <= 1 || places <= 1
        ? Math.min(balls, places)
        : places * (1 - Math.pow(1 - 1 / places, balls));
  }
}
