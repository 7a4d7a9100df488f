package org.pgconcord.daemon.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.GsiMode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * What a new document may not do while the catalog's states are as they are. A maintained index
 * whose wish is withdrawn, or whose definition or sharding changes, must be disabled by name: a
 * document that is applied in passing never ends a guarantee. Pure.
 */
public final class ChangeRules {
  private ChangeRules() {}

  /** The maintained indexes that the change would touch and that {@code allowed} does not name. */
  public static List<String> violations(RoutingState current, Topology next, Set<GsiName> allowed) {
    List<String> violations = new ArrayList<>();
    for (Gsi gsi : all(current.topology())) {
      boolean maintained = current.status(gsi.name()).state().maintained();
      if (maintained && !allowed.contains(gsi.name())) {
        reason(current.topology(), next, gsi)
            .ifPresent(
                reason ->
                    violations.add(
                        gsi.name() + " " + reason + ": add --disable-gsi " + gsi.name()));
      }
    }
    return violations;
  }

  /** The indexes whose wish goes from false, or from nothing, to true. */
  public static List<GsiName> wished(Optional<Topology> current, Topology next) {
    return all(next).stream()
        .filter(Gsi::wishEnabled)
        .map(Gsi::name)
        .filter(name -> !current.flatMap(old -> old.gsi(name)).map(Gsi::wishEnabled).orElse(false))
        .toList();
  }

  /** Indexes whose definition changes although their slots and entries exist. */
  public static List<GsiName> redefined(RoutingState current, Topology next) {
    return all(current.topology()).stream()
        .filter(gsi -> current.status(gsi.name()).state() != GsiState.DECLARED)
        .filter(gsi -> changed(current.topology(), next, gsi))
        .map(Gsi::name)
        .toList();
  }

  private static Optional<String> reason(Topology current, Topology next, Gsi gsi) {
    Optional<Gsi> then = next.gsi(gsi.name());
    if (then.isEmpty()) {
      return Optional.of("is not declared any more");
    }
    if (gsi.wishEnabled() && !then.get().wishEnabled()) {
      return Optional.of("would no longer be enabled");
    }
    return changed(current, next, gsi)
        ? Optional.of("or the sharding of its tables would change")
        : Optional.empty();
  }

  private static boolean changed(Topology current, Topology next, Gsi gsi) {
    return !next.gsi(gsi.name()).map(ChangeRules::shape).equals(Optional.of(shape(gsi)))
        || !placement(current, gsi.name(), gsi.owner())
            .equals(placement(next, gsi.name(), gsi.owner()))
        || !placement(current, gsi.name(), gsi.lookup())
            .equals(placement(next, gsi.name(), gsi.lookup()));
  }

  /** The definition without the wish. */
  private static Gsi shape(Gsi gsi) {
    return new Gsi(
        gsi.name(),
        gsi.lookup(),
        gsi.owner(),
        gsi.columns(),
        gsi.ownerShardKey(),
        gsi.ownerPrimaryKey(),
        gsi.unique(),
        gsi.ignoreNull(),
        GsiMode.STRICT,
        false,
        gsi.covering());
  }

  private static Optional<Placement> placement(Topology topology, GsiName gsi, TableName table) {
    return topology.database(gsi.database()).map(database -> database.placement(table));
  }

  private static List<Gsi> all(Topology topology) {
    return topology.databases().values().stream()
        .flatMap(database -> database.gsis().stream())
        .toList();
  }
}
