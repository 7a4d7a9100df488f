package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.json.JsonProblem;

/** Collects findings in the order in which they are made. Used by one thread. */
public final class Findings {
  private final List<Finding> found = new ArrayList<>();

  public void add(Rule rule, String path, String message) {
    found.add(rule.at(path, message));
  }

  /** Adds the finding unless the condition holds. */
  public void require(boolean holds, Rule rule, String path, String message) {
    if (!holds) {
      add(rule, path, message);
    }
  }

  void addForm(JsonProblem problem) {
    Rule rule =
        switch (problem.kind()) {
          case SYNTAX -> Rule.JSON_SYNTAX;
          case DUPLICATE_KEY -> Rule.JSON_DUPLICATE_KEY;
          case UNKNOWN_KEY -> Rule.JSON_UNKNOWN_KEY;
          case WRONG_TYPE -> Rule.JSON_WRONG_TYPE;
          case MISSING_KEY -> Rule.JSON_MISSING_KEY;
        };
    add(rule, problem.path(), problem.message());
  }

  public boolean hasErrors() {
    return found.stream().anyMatch(f -> f.severity() == Finding.Severity.ERROR);
  }

  public List<Finding> all() {
    return List.copyOf(found);
  }
}
