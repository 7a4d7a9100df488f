package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.replica.Floor;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.replica.Sight;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.plan.PlanOutline;
import org.pgconcord.router.session.ReadTarget;

/** What EXPLAIN (ROUTER) says of {@code pgconcord.target}: nothing for primaries. */
final class TargetText {
  private static final double MILLIS = 1_000;

  private final Replicas replicas;
  private final ReadTarget target;
  private final Duration bound;
  private final List<ShardId> shards;

  TargetText(Execution execution) {
    this.replicas = execution.session().services().replicas();
    this.target = execution.session().settings().target();
    this.bound = execution.session().settings().maxReplicaLag();
    this.shards =
        execution.session().services().epochs().current().topology().shards().stream()
            .sorted()
            .toList();
  }

  /** Replicas that can be read are a detail; those that cannot are shown always. */
  void addTo(PlanOutline outline) {
    if (target == ReadTarget.PRIMARY) {
      return;
    }
    outline
        .say("Target: replicas that lag by %s at most".formatted(words(bound)))
        .field("Target", target.word())
        .millis("Max Replica Lag", (double) bound.toMillis());
    List<String> usable = new ArrayList<>();
    List<String> unusable = new ArrayList<>();
    for (ShardId shard : shards) {
      Optional<Floor> floor = replicas.floor(shard, System.nanoTime() - bound.toNanos());
      List<Sight> sights = replicas.of(shard);
      if (sights.isEmpty()) {
        unusable.add(shard + ": the configuration names none");
      }
      for (Sight sight : sights) {
        String place = "%s at %s".formatted(shard, sight.address());
        sight
            .obstacle(floor)
            .ifPresentOrElse(
                why -> unusable.add(place + ": " + why),
                () -> usable.add(place + sight.lag().map(lag -> ", lag " + words(lag)).orElse("")));
      }
    }
    outline.details("Replica", "Replicas", usable);
    outline.each("Replica not used", "Replicas Not Used", unusable);
  }

  private static String words(Duration time) {
    return "%.1f s".formatted(time.toMillis() / MILLIS);
  }
}
