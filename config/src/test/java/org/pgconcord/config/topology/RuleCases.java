package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Reads {@code rules.txt}. */
final class RuleCases {
  private RuleCases() {}

  /**
   * One case.
   *
   * @param findings {@code id path}, sorted
   */
  record RuleCase(TreeSet<String> findings, String document) {
    /** The findings are the case's name. */
    @Override
    public String toString() {
      return String.join("; ", findings);
    }
  }

  static List<RuleCase> all() {
    List<RuleCase> cases = new ArrayList<>();
    String seed = Documents.seed().replaceAll("\\s", "");
    for (String block : Documents.resource("/topology/rules.txt").split("\n\n")) {
      if (block.startsWith("#")) {
        cases.add(read(block, seed));
      }
    }
    return cases;
  }

  private static RuleCase read(String block, String seed) {
    TreeSet<String> findings = new TreeSet<>();
    String document = seed;
    String removed = "";
    for (String line : block.strip().split("\n")) {
      String text = line.length() > 2 ? line.substring(2) : "";
      if (line.startsWith("#")) {
        findings.add(text);
      } else if (line.startsWith("-")) {
        removed = text;
      } else if (!document.contains(removed)) {
        throw new IllegalStateException("the example has no " + removed);
      } else {
        document = document.replace(removed, text);
      }
    }
    return new RuleCase(findings, document);
  }
}
