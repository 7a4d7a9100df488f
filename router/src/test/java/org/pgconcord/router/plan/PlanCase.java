package org.pgconcord.router.plan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.sql.SearchPath;
import org.pgconcord.router.sql.StatementText;

// One case of a case file:
//
//   # comment
//   @state tailing           of the indexes; enabled without it
//   @path other, public      the search path; "$user", public without it
//   @snapshot fixed          a REPEATABLE READ transaction
//   @pinned shard-b          pgconcord.shard
//   @marked shard-b          the copy of countries there may differ from the leader's
//   @param int8 5            the next parameter: int8, text, unknown, numeric, float8, null ...
//   SELECT ...
//   =>
//   the rows of the plan's text
//
// Cases are separated by blank lines.
record PlanCase(List<String> head, String sql) {
  static List<PlanCase> read(String file) {
    List<PlanCase> cases = new ArrayList<>();
    for (String block : file.split("\n\n+")) {
      List<String> head = new ArrayList<>();
      StringBuilder sql = new StringBuilder();
      for (String line : block.strip().split("\n")) {
        if (line.equals("=>")) {
          break;
        } else if (line.startsWith("#") || line.startsWith("@")) {
          head.add(line);
        } else {
          sql.append(sql.isEmpty() ? "" : "\n").append(line);
        }
      }
      cases.add(new PlanCase(head, sql.toString()));
    }
    return cases;
  }

  /** The case as the file should have it, with the plan that comes out now. */
  String written(StatementPlanner planner) {
    List<String> lines = new ArrayList<>(head);
    if (!sql.isEmpty()) {
      lines.add(sql);
      lines.add("=>");
      lines.addAll(plan(planner));
    }
    return String.join("\n", lines);
  }

  private List<String> plan(StatementPlanner planner) {
    return plan(sql, planner, context());
  }

  PlanContext context() {
    GsiState state =
        GsiState.valueOf(option("@state", "ENABLED").toUpperCase(java.util.Locale.ROOT));
    return PlanFixture.context(
            state,
            SearchPath.parse(option("@path", "\"$user\", public")),
            option("@snapshot", "").equals("fixed"),
            option("@marked", ""))
        .withPinned(option("@pinned", ""));
  }

  /** What {@code sql} is planned as in place of the case's own statement. */
  List<String> plan(String sql, StatementPlanner planner, PlanContext context) {
    Planned planned;
    try {
      planned = planner.plan(StatementText.one(sql), context);
    } catch (org.pgconcord.config.error.ConcordException e) {
      return List.of("Not SQL: " + e.message());
    }
    if (planned.plan() instanceof SessionCommand.ExplainRouter explain) {
      return explain
          .format()
          .rows(PlanText.outline(explain.explained(), parameters()), explain.verbose());
    }
    return planned.plan() instanceof SessionCommand
            && !(planned.plan() instanceof SessionCommand.DeclareCursor)
        ? List.of(planned.plan().toString())
        : PlanText.render(planned, parameters());
  }

  private String option(String name, String otherwise) {
    return head.stream()
        .filter(l -> l.startsWith(name + " "))
        .map(l -> l.substring(name.length() + 1).strip())
        .findFirst()
        .orElse(otherwise);
  }

  private Parameters parameters() {
    List<ParameterValue> values = new ArrayList<>();
    for (String line : head) {
      if (line.startsWith("@param ")) {
        String[] words = line.split(" ", 3);
        values.add(value(words[1], words.length > 2 ? words[2] : ""));
      }
    }
    return new Parameters() {
      @Override
      public int count() {
        return values.size();
      }

      @Override
      public ParameterValue value(int number) {
        return values.get(number - 1);
      }
    };
  }

  private static ParameterValue value(String type, String text) {
    int oid =
        switch (type) {
          case "int8" -> 20;
          case "int4" -> 23;
          case "text" -> 25;
          case "varchar" -> 1043;
          case "numeric" -> 1700;
          case "float8" -> 701;
          case "uuid" -> 2950;
          case "bpchar" -> 1042;
          default -> 0;
        };
    byte[] bytes = type.equals("null") ? null : text.getBytes(StandardCharsets.UTF_8);
    return new ParameterValue(oid, false, bytes);
  }
}
