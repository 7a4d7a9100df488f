package org.pgconcord.testkit.fault;

import java.util.ArrayList;
import java.util.List;

/**
 * The rules in force, each with what it has counted. The first rule whose count a message fills
 * decides; the others count it all the same. A rule acts once. Called by every link's threads.
 */
final class FaultPlan {
  private final List<Counted> rules = new ArrayList<>();

  private static final class Counted {
    private final Rule rule;
    private int seen;

    Counted(Rule rule) {
      this.rule = rule;
    }

    boolean fills(Link link, Message message) {
      return rule.where().test(link) && rule.what().test(message) && ++seen == rule.nth();
    }
  }

  /** Forgets what was in force; these begin to count now. */
  synchronized void replace(List<Rule> next) {
    rules.clear();
    next.forEach(rule -> rules.add(new Counted(rule)));
  }

  synchronized Action decide(Link link, Message message) {
    Action decided = new Action.Pass();
    boolean found = false;
    for (Counted each : rules) {
      if (each.fills(link, message) && !found) {
        decided = each.rule.action();
        found = true;
      }
    }
    return decided;
  }

  /** How many rules have acted. */
  synchronized int acted() {
    return (int) rules.stream().filter(each -> each.seen >= each.rule.nth()).count();
  }
}
