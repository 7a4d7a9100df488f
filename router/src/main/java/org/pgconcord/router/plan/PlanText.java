package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.sql.StatementText;

/** A plan in words: the rows of EXPLAIN (ROUTER) and of the {@code plan} command. */
public final class PlanText implements Plan.Cases<List<String>> {
  private final StatementText text;
  private final Parameters parameters;

  private PlanText(StatementText text, Parameters parameters) {
    this.text = text;
    this.parameters = parameters;
  }

  /** One row per line, in one column named {@code QUERY PLAN}. */
  public static List<String> render(Planned planned, Parameters parameters) {
    return planned.plan().match(new PlanText(planned.text(), parameters));
  }

  @Override
  public List<String> oneShard(Plan.OneShard plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: one shard, by shard key");
    rows.add("  Shard: " + shard(plan.binding(), plan.otherwise()));
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> anyCopy(Plan.AnyCopy plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: any copy of a reference table");
    rows.add("  Shards: one of " + joined(plan.shards()));
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> scatter(Plan.Scatter plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: scatter, answers concatenated");
    rows.add("  Group: " + plan.group().uid());
    rows.add("  Shards: " + joined(plan.shards()));
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> gsiRead(Plan.GsiRead plan) {
    LookupRead lookup = plan.lookup();
    List<String> rows = new ArrayList<>();
    rows.add("Route: index lookup, then one shard");
    rows.add("  Index: %s (epoch %d)".formatted(lookup.index().name(), lookup.epoch()));
    rows.add(
        "  Lookup: %s on %s by %s"
            .formatted(
                lookup.index().gsi().lookup(),
                lookup.index().lookupShard(),
                Identifiers.quote(lookup.index().keyColumn().name())));
    rows.add(
        "  Owner: %s, one of %s"
            .formatted(lookup.index().owner().name(), joined(lookup.index().ownerShards())));
    if (lookup.key(text, parameters) instanceof KeyValue.NotConvertible unusable
        && !unusable.reason().contains("has no value")) {
      rows.add("  Index not used: " + unusable.reason());
      rows.addAll(plan.otherwise().match(this));
      return rows;
    }
    return finish(rows, plan.facts(), lookup.ownerSql(text, List.of("(found)")));
  }

  @Override
  public List<String> unsharded(Plan.Unsharded plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: unsharded");
    rows.add("  Shard: " + plan.shard());
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> authoritative(Plan.Authoritative plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: authoritative shard");
    rows.add("  Shard: " + plan.shard());
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> write(Plan.Write plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: %s on one shard".formatted(plan.kind()));
    rows.add("  Shard: " + shard(plan.binding(), plan.otherwise()));
    plan.entries()
        .ifPresent(
            work ->
                rows.add(
                    "  Maintains: "
                        + work.gsis().stream()
                            .map(g -> g.name().toString())
                            .collect(Collectors.joining(", "))));
    return finish(rows, plan.facts(), plan.entries().map(e -> e.sql(text)).orElse(text.sql()));
  }

  @Override
  public List<String> session(SessionCommand plan) {
    return List.of("Route: carried out by the router");
  }

  @Override
  public List<String> refused(Plan.Refused plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Refused: %s (%s)".formatted(plan.message(), plan.code().id()));
    if (plan.detail() != null && !plan.detail().isEmpty()) {
      rows.add("  Detail: " + plan.detail());
    }
    rows.add("  Hint: " + (plan.hint() == null ? plan.code().remedy() : plan.hint()));
    return rows;
  }

  private String shard(ShardBinding binding, Plan otherwise) {
    try {
      Resolution resolution = binding.resolve(text, parameters);
      if (resolution instanceof Resolution.One one) {
        return one.shard().uid();
      }
      String reason = ((Resolution.NotOne) resolution).reason();
      return "decided by the values (%s; else %s)".formatted(reason, otherwise.match(this).get(0));
    } catch (ConcordException e) {
      return "none: " + e.message();
    }
  }

  private List<String> finish(List<String> rows, StatementFacts facts, String sql) {
    if (!facts.tables().isEmpty()) {
      rows.add(
          "  Tables: "
              + facts.tables().stream().map(Object::toString).collect(Collectors.joining(", ")));
    }
    rows.add("  SQL: " + sql.strip());
    facts.why().forEach(reason -> rows.add("  Why: " + reason));
    return rows;
  }

  private static String joined(Collection<ShardId> shards) {
    return shards.stream().map(ShardId::uid).collect(Collectors.joining(", "));
  }
}
