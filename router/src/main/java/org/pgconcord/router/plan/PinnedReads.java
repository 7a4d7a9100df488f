package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.value.ShardId;

/**
 * {@code pgconcord.shard}: every read goes to one shard, by the client's own text, and answers for
 * that shard alone. Writes keep their routes: a row on a shard of the client's choice would be on
 * the wrong one, or without its entries, so a pinned session does not write at all.
 */
final class PinnedReads {
  private PinnedReads() {}

  static Plan of(Plan plan, PlanContext context) {
    if (context.pinned().isEmpty()
        || plan instanceof Plan.Refused
        || plan instanceof SessionCommand
        || plan instanceof Plan.ShardExplain) {
      return plan;
    }
    StatementFacts facts = plan.facts();
    if (facts.command() != StatementFacts.Command.SELECT || facts.mayWrite()) {
      return Refusals.refused(
          ErrorCode.SETTING_PINNED.because(
              "pgconcord.shard is set to %s, and this is no plain read"
                  .formatted(context.pinned())));
    }
    List<String> why = new ArrayList<>(List.of("pgconcord.shard is set: this shard's rows alone"));
    why.addAll(facts.why());
    return new Plan.Unsharded(
        new StatementFacts(
            facts.command(), false, facts.tables(), why, facts.stale(), facts.locks()),
        shard(context));
  }

  private static ShardId shard(PlanContext context) {
    Collection<ShardId> shards = context.state().topology().shards();
    return shards.stream()
        .filter(shard -> shard.uid().equals(context.pinned()))
        .findFirst()
        .orElseThrow(() -> unknown(context.pinned(), shards.stream().map(ShardId::uid).toList()));
  }

  private static ConcordException unknown(String name, List<String> shards) {
    return ErrorCode.SETTING_VALUE
        .because(
            "pgconcord.shard names no shard: \"%s\"%s"
                .formatted(name, DidYouMean.hint(name, shards)))
        .withDetail("The topology has these shards: " + String.join(", ", shards))
        .withHint("SET pgconcord.shard to one of the shards that the detail lists, or RESET it.");
  }
}
