package org.pgconcord.config.topology;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Counted;

/**
 * The outcome of reading a document.
 *
 * @param topology present exactly when no finding is an error
 */
public record TopologyReading(Optional<Topology> topology, List<Finding> findings) {
  public TopologyReading {
    findings = List.copyOf(findings);
  }

  /**
   * The topology.
   *
   * @throws org.pgconcord.config.error.ConcordException ({@code topology/invalid}) whose detail
   *     lists all findings, one a line
   */
  public Topology orThrow() {
    return topology.orElseThrow(
        () ->
            ErrorCode.TOPOLOGY_INVALID
                .because("the topology document has " + Counted.of(findings.size(), "finding"))
                .withDetail(
                    findings.stream().map(Finding::line).collect(Collectors.joining("\n"))));
  }
}
