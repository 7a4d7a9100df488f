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
        gsi.unique() || !gsi.covering(),
        Rule.GSI_COVERING,
        gsi.path() + ".covering",
        "the index is not unique");
  }

  private void columns(Document.Secondary gsi) {
    findings.require(
        !gsi.columns().isEmpty(), Rule.GSI_COLUMNS, gsi.path() + ".columns", "no column is named");
    distinct(gsi.columns(), gsi.path() + ".columns");
    distinct(gsi.ownerPrimaryKey(), gsi.path() + ".owner_pk_columns");
  }

  private void distinct(List<String> columns, String path) {
    findings.require(
        new HashSet<>(columns).size() == columns.size(),
        Rule.GSI_COLUMNS,
        path,
        "a column is named twice");
  }

  private void nonUnique(Document.Secondary gsi) {
    findings.require(
        gsi.unique() || !gsi.ownerPrimaryKey().isEmpty(),
        Rule.GSI_NO_PRIMARY_KEY,
        gsi.path(),
        "the index is not unique and owner_pk_columns is missing");
  }

  private void mode(Document.Secondary gsi) {
    findings.require(
        GsiMode.of(gsi.mode()).isPresent(),
        Rule.GSI_MODE,
        gsi.path() + ".gsi_mode",
        "unknown mode \"" + gsi.mode() + "\"");
  }
}
