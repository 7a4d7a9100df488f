package org.pgconcord.config.topology;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.json.DidYouMean;

/** The {@code secondary_indexes} entries of a database's tables against its GSIs. */
final class ActivationRules {
  private final Document.Database database;
  private final Findings findings;
  private final Set<String> activated = new HashSet<>();

  ActivationRules(Document.Database database, Findings findings) {
    this.database = database;
    this.findings = findings;
  }

  void check() {
    database
        .schemas()
        .forEach(
            (schemaName, schema) ->
                schema.tables().forEach((table, entry) -> table(schemaName, table, entry)));
    for (Map.Entry<String, Document.Secondary> gsi : database.secondaries().entrySet()) {
      findings.require(
          activated.contains(gsi.getKey()),
          Rule.GSI_NOT_ACTIVATED,
          gsi.getValue().path(),
          "its owner \"" + gsi.getValue().owner() + "\" does not list it");
    }
  }

  private void table(String schemaName, String table, Document.Table entry) {
    Set<String> seen = new HashSet<>();
    for (Document.Activation activation : entry.activations()) {
      findings.require(
          seen.add(activation.name()),
          Rule.GSI_TWICE,
          activation.path(),
          "\"" + activation.name() + "\" is listed twice");
      Document.Secondary gsi = database.secondaries().get(activation.name());
      if (gsi == null) {
        unknown(activation);
      } else if (owns(gsi, schemaName, table)) {
        owner(activation, gsi);
      } else {
        findings.add(
            Rule.GSI_REFERRER,
            activation.path(),
            "\"" + table + "\" refers to an index of \"" + gsi.owner() + "\"");
      }
    }
  }

  private static boolean owns(Document.Secondary gsi, String schemaName, String table) {
    return gsi.owner().equals(table) && gsi.schema().map(schemaName::equals).orElse(true);
  }

  private void owner(Document.Activation activation, Document.Secondary gsi) {
    activated.add(activation.name());
    findings.require(
        activation.columns().equals(gsi.columns()),
        Rule.GSI_COLUMNS,
        activation.path() + ".columns",
        "the declaration has " + gsi.columns() + ", the owner's entry " + activation.columns());
  }

  private void unknown(Document.Activation activation) {
    if (!activation.name().isEmpty()) {
      findings.add(
          Rule.GSI_UNKNOWN,
          activation.path() + ".name",
          "no index is named \""
              + activation.name()
              + "\""
              + DidYouMean.hint(activation.name(), database.secondaries().keySet()));
    }
  }
}
