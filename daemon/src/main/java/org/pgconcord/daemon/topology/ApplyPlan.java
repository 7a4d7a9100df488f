package org.pgconcord.daemon.topology;

import java.util.List;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.value.GsiName;

/**
 * What applying a document would meet and do, of one moment. Nothing has been changed.
 *
 * @param findings all that the check says of the document
 * @param violations maintained indexes that it would end or change without being told to
 * @param disabled the indexes that would be disabled first, since they were named for it
 * @param gates the indexes whose gate it would start
 * @param force rows on other shards than the document says are no obstacle
 */
public record ApplyPlan(
    List<Finding> findings,
    List<String> violations,
    List<GsiName> disabled,
    List<GsiName> gates,
    boolean force) {
  public ApplyPlan {
    findings = List.copyOf(findings);
    violations = List.copyOf(violations);
    disabled = List.copyOf(disabled);
    gates = List.copyOf(gates);
  }

  /** The findings that stand in the way. */
  public List<Finding> errors() {
    return errors(findings, force);
  }

  static List<Finding> errors(List<Finding> findings, boolean force) {
    return findings.stream()
        .filter(finding -> finding.severity() == Finding.Severity.ERROR)
        .filter(finding -> !(force && finding.id().equals(Rule.SCHEMA_MISPLACED_ROWS.id())))
        .toList();
  }

  public boolean applies() {
    return errors().isEmpty() && violations.isEmpty();
  }
}
