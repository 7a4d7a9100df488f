package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.router.sql.StatementText;

/**
 * Which of its indexes leads a fetch for these values, by the measure of {@link IndexChoice}. What
 * is gathered is the same either way. Several keys of a unique index are weighed too: they may be
 * on as many shards.
 *
 * @param lookup empty where all shards are asked
 * @param why what was estimated, in words
 */
public record FetchChoice(Optional<LookupRead> lookup, List<String> why) {
  public static FetchChoice of(
      Fetch fetch, StatementText text, Parameters parameters, IndexCosts costs) {
    List<IndexChoice.Estimate> estimates = new ArrayList<>();
    for (LookupRead lookup : fetch.lookups()) {
      if (lookup.keys(text, parameters) instanceof LookupRead.Keys.Unusable none
          && none.missing()) {
        return new FetchChoice(Optional.of(lookup), List.of());
      }
      boolean unique = lookup.index().gsi().unique();
      Optional<IndexChoice.Estimate> estimate =
          unique
              ? IndexChoice.ofUnique(lookup, text, parameters)
              : IndexChoice.estimate(lookup, text, parameters, costs.statistics());
      if (unique && lookup.isLone() && estimate.isPresent()) {
        return new FetchChoice(Optional.of(lookup), List.of());
      }
      estimate.ifPresent(estimates::add);
    }
    if (estimates.isEmpty()) {
      return new FetchChoice(Optional.empty(), List.of());
    }
    IndexChoice.Best best =
        IndexChoice.Best.of(estimates, fetch.shards(text, parameters).size(), costs.wideAllowed());
    return new FetchChoice(best.lookup(), best.why());
  }
}
