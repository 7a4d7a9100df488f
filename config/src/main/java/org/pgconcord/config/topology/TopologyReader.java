package org.pgconcord.config.topology;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.topology.Topology.LogicalDatabase;

/**
 * Reads a topology document: all findings at once, or a topology with every default resolved.
 * Shapes and rules: docs/formats.md. What is declared but not served yet is refused by a rule whose
 * id ends in {@code not-supported-yet}.
 */
public final class TopologyReader {
  private TopologyReader() {}

  public static TopologyReading read(String json) {
    Findings findings = new Findings();
    Optional<Topology> topology =
        DocumentReader.read(json, findings).map(d -> resolve(d, findings));
    return new TopologyReading(findings.hasErrors() ? Optional.empty() : topology, findings.all());
  }

  private static Topology resolve(Document document, Findings findings) {
    Layout layout = LayoutRules.resolve(document, findings);
    Map<String, LogicalDatabase> databases = new LinkedHashMap<>();
    document
        .databases()
        .forEach(
            (name, database) ->
                databases.put(name, new DatabaseRules(name, database, layout, findings).resolve()));
    return new Topology(
        layout.authoritative(),
        layout.groups().values().stream().toList(),
        layout.indexes().values().stream().toList(),
        databases);
  }
}
