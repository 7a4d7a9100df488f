package org.pgconcord.config.topology;

import java.util.HashSet;
import java.util.List;

/** The rules about a GSI's own entry, without a look at the tables it names. */
final class GsiShapeRules {
  private final Findings findings;

  GsiShapeRules(Findings findings) {
    this.findings = findings;
  }

  void check(Document.Secondary gsi) {
    columns(gsi);
    nonUnique(gsi);
    mode(gsi);
    findings.require(
        !gsi.covering(), Rule.GSI_COVERING, gsi.path() + ".covering", "covering reads");
  }

  private void columns(Document.Secondary gsi) {
    String path = gsi.path() + ".columns";
    List<String> columns = gsi.columns();
    boolean distinct = new HashSet<>(columns).size() == columns.size();
    findings.require(!columns.isEmpty(), Rule.GSI_COLUMNS, path, "no column is named");
    findings.require(distinct, Rule.GSI_COLUMNS, path, "a column is named twice");
    findings.require(
        columns.size() < 2, Rule.GSI_MULTI_COLUMN, path, "an index over several columns");
  }

  private void nonUnique(Document.Secondary gsi) {
    String path = gsi.path() + ".owner_pk_columns";
    if (gsi.unique()) {
      findings.require(
          gsi.ownerPrimaryKey().isEmpty(),
          Rule.GSI_STORED_KEY,
          path,
          "a lookup table that stores the owner's primary key");
      return;
    }
    findings.require(
        !gsi.ownerPrimaryKey().isEmpty(),
        Rule.GSI_NO_PRIMARY_KEY,
        gsi.path(),
        "the index is not unique and owner_pk_columns is missing");
    findings.add(Rule.GSI_NON_UNIQUE, gsi.path() + ".unique", "an index that is not unique");
  }

  private void mode(Document.Secondary gsi) {
    String path = gsi.path() + ".gsi_mode";
    if (gsi.mode().equals("extended")) {
      findings.add(Rule.GSI_EXTENDED, path, "the mode extended");
    } else {
      findings.require(
          gsi.mode().equals("strict"), Rule.GSI_MODE, path, "unknown mode \"" + gsi.mode() + "\"");
    }
  }
}
