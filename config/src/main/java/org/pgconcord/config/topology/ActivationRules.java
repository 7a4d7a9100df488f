package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.TableName;

/**
 * The {@code secondary_indexes} entries of a database's tables against its GSIs: the owner's makes
 * the index its own, any other table's makes that table a referrer.
 */
final class ActivationRules {
  private final String databaseName;
  private final Document.Database database;
  private final Map<TableName, Placement> tables;
  private final Findings findings;
  private final Set<String> activated = new HashSet<>();
  private final List<Referrer> referrers = new ArrayList<>();

  ActivationRules(
      String databaseName,
      Document.Database database,
      Map<TableName, Placement> tables,
      Findings findings) {
    this.databaseName = databaseName.isEmpty() ? "?" : databaseName;
    this.database = database;
    this.tables = tables;
    this.findings = findings;
  }

  /** Checks all of them; the referrers among the tables. */
  List<Referrer> check() {
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
    return referrers;
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
        referrer(activation, gsi, new TableName(schemaName, table));
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

  private void referrer(Document.Activation activation, Document.Secondary gsi, TableName table) {
    List<String> columns = activation.columns();
    findings.require(
        columns.size() == gsi.columns().size(),
        Rule.GSI_REFERRER_COLUMNS,
        activation.path() + ".columns",
        "the index of \"%s\" has %d columns, the entry %d"
            .formatted(gsi.owner(), gsi.columns().size(), columns.size()));
    Placement placement = tables.get(table);
    if (placement instanceof Placement.Sharded) {
      referrers.add(new Referrer(new GsiName(databaseName, activation.name()), table, columns));
    } else if (placement != null) {
      findings.add(
          Rule.GSI_REFERRER_NOT_SHARDED,
          activation.path(),
          "the table " + table + " is not sharded");
    }
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
