package org.pgconcord.daemon.topology;

import java.util.List;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;

/** Finds the index that a person means: {@code by_email}, or {@code app.by_email}. */
public final class GsiNames {
  private GsiNames() {}

  public static Gsi find(Topology topology, String name) {
    List<Gsi> found =
        topology.databases().values().stream()
            .flatMap(database -> database.gsis().stream())
            .filter(gsi -> gsi.name().name().equals(name) || gsi.name().toString().equals(name))
            .toList();
    if (found.isEmpty()) {
      throw ErrorCode.GSI_UNKNOWN
          .because("the applied topology declares no index " + name)
          .withDetail("declared: " + names(topology));
    }
    if (found.size() > 1) {
      throw ErrorCode.GSI_AMBIGUOUS.because(
          name + " may be one of " + found.stream().map(Gsi::name).map(GsiName::toString).toList());
    }
    return found.get(0);
  }

  private static List<String> names(Topology topology) {
    return topology.databases().values().stream()
        .flatMap(database -> database.gsis().stream())
        .map(gsi -> gsi.name().toString())
        .sorted()
        .toList();
  }
}
