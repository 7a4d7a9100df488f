package org.pgconcord.daemon.admin;

import java.util.List;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.daemon.topology.ApplyPlan;

/**
 * What {@code topology apply --plan} prints: what would happen, and what stands in the way.
 *
 * @param revision the catalog's, for {@code --expected-revision}
 * @param applies whether the document would be applied
 * @param changes a line for each place that differs from the applied document
 * @param violations maintained indexes that it would end or change, with the flag that allows it
 * @param disabled indexes that would be disabled before
 * @param gates indexes whose gate would be started
 * @param errors how many of the findings stand in the way
 */
public record TopologyPlanDocument(
    long revision,
    boolean applies,
    List<String> changes,
    List<String> violations,
    List<String> disabled,
    List<String> gates,
    int errors,
    List<FindingsDocument.Item> findings) {
  public TopologyPlanDocument {
    changes = List.copyOf(changes);
    violations = List.copyOf(violations);
    disabled = List.copyOf(disabled);
    gates = List.copyOf(gates);
    findings = List.copyOf(findings);
  }

  static TopologyPlanDocument of(long revision, ApplyPlan plan, List<String> changes) {
    return new TopologyPlanDocument(
        revision,
        plan.applies(),
        changes,
        plan.violations(),
        plan.disabled().stream().map(GsiName::toString).toList(),
        plan.gates().stream().map(GsiName::toString).toList(),
        plan.errors().size(),
        FindingsDocument.of("shards", plan.findings()).findings());
  }
}
