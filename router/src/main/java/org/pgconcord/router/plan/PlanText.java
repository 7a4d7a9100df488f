package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.sql.StatementText;

/** A plan in words: what EXPLAIN (ROUTER) and the {@code plan} command show. */
public final class PlanText extends WriteOutlines {
  private PlanText(StatementText text, Parameters parameters, IndexCosts costs) {
    super(text, parameters, costs);
  }

  /** The plan for these values; where they are missing, what is known without them. */
  public static PlanOutline outline(Planned planned, Parameters parameters) {
    return outline(planned, parameters, IndexCosts.UNKNOWN);
  }

  /** The same, with what is chosen by cost. */
  public static PlanOutline outline(Planned planned, Parameters parameters, IndexCosts costs) {
    return planned.plan().match(new PlanText(planned.text(), parameters, costs));
  }

  /** The lines of the text form. */
  public static List<String> render(Planned planned, Parameters parameters) {
    return outline(planned, parameters).lines(false);
  }

  @Override
  public PlanOutline oneShard(Plan.OneShard plan) {
    Bound bound = bound(plan.binding());
    if (bound.elsewhere()) {
      return elsewhere(plan.otherwise(), bound);
    }
    PlanOutline rows = route("one-shard", "one shard, by shard key");
    groups(plan.binding(), rows);
    return finish(bound.on(rows), plan.facts(), text.sql());
  }

  @Override
  public PlanOutline anyCopy(Plan.AnyCopy plan) {
    PlanOutline rows =
        route("any-copy", "any copy of a reference table")
            .say("Shards: one of " + joined(plan.shards()))
            .shards("One Of", plan.shards());
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public PlanOutline scatter(Plan.Scatter plan) {
    PlanOutline rows =
        route("scatter", "scatter, answers concatenated").add("Group", plan.group().uid());
    narrowed(plan.group(), plan.binding(), () -> plan.shards(text, parameters))
        .on(rows, "Shards: ");
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public PlanOutline sorted(Plan.Sorted plan) {
    Plan.Scatter all = plan.rows();
    PlanOutline rows =
        route("merge", "scatter, sorted answers merged").add("Group", all.group().uid());
    narrowed(all.group(), all.binding(), () -> all.shards(text, parameters)).on(rows, "Shards: ");
    return finish(rows, plan.facts(), plan.sql(text));
  }

  @Override
  public PlanOutline firstLocked(FirstLocked plan) {
    Plan.Scatter all = plan.rows();
    PlanOutline rows =
        route("first-locked", "first rows locked, as many as the limit lets through")
            .add("Group", all.group().uid());
    narrowed(all.group(), all.binding(), () -> all.shards(text, parameters)).on(rows, "Shards: ");
    plan.ordered().ifPresent(by -> rows.add("Look", by.shape(text)));
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public PlanOutline gather(Plan.Gather plan) {
    PlanOutline rows =
        route("gather", "rows gathered, finished on one shard")
            .say("Finish: " + plan.finishers().get(0))
            .shards("Finish On One Of", plan.finishers());
    List<String> lines = new ArrayList<>();
    List<PlanOutline> fetches = new ArrayList<>();
    for (Fetch fetch : plan.fetches()) {
      Narrowed from =
          narrowed(fetch.group(), fetch.binding(), () -> fetch.shards(text, parameters));
      PlanOutline one =
          new PlanOutline()
              .field("Table", fetch.table().toString())
              .field("Group", fetch.group().uid());
      from.known().ifPresent(shards -> one.shards("Shards", shards));
      FetchChoice led = FetchChoice.of(fetch, text, parameters, costs);
      boolean routed = fetch.keys().flatMap(Fetch.Keys::route).isPresent();
      String some = led.lookup().isPresent() || routed ? "some of " : "";
      lines.add("Fetch: %s from %s%s".formatted(fetch.table(), some, from.text()));
      led.lookup().ifPresent(lookup -> byIndex(lookup, one));
      if (!led.why().isEmpty()) {
        one.each("Cost", "Estimates", led.why());
      }
      fetch
          .keys()
          .map(keys -> plan.fetches().get(keys.fetch()).table())
          .ifPresent(
              table ->
                  one.say(
                          "By keys of: %s, up to %,d of them%s"
                              .formatted(table, Fetch.MOST_KEYS, routed ? ", on their shards" : ""))
                      .field("By Keys Of", table.toString()));
      fetches.add(one.add("SQL", fetchSql(fetch, led)));
    }
    rows.parts("Fetches", lines, fetches).detail("Finish SQL", plan.finishShape(text));
    if (!plan.finish().words().isEmpty()) {
      rows.add("Partial", plan.finish().words());
    }
    return finish(rows, plan.facts(), text.sql());
  }

  private void byIndex(LookupRead lookup, PlanOutline one) {
    List<ShardId> shards = lookup.lookupShards(text, parameters);
    one.say(
        "By index: %s (epoch %d), %s on %s"
            .formatted(
                lookup.index().name(),
                lookup.epoch(),
                lookup.index().gsi().lookup(),
                (shards.size() == 1 ? "" : "one of ") + joined(shards)));
    one.field("Index", lookup.index().name().toString())
        .count("Epoch", lookup.epoch())
        .field("Lookup Table", lookup.index().gsi().lookup().toString())
        .shards("Lookup On One Of", shards);
  }

  private String fetchSql(Fetch fetch, FetchChoice led) {
    return fetch.sql(text, led.lookup().map(LookupRead::ownerConditionShape).stream().toList());
  }

  @Override
  public PlanOutline gsiRead(Plan.GsiRead read) {
    IndexChoice chosen = IndexChoice.of(read, text, parameters, costs);
    PlanOutline rows =
        chosen.plan() instanceof Plan.GsiRead plan ? led(plan) : chosen.plan().match(this);
    return chosen.why().isEmpty() ? rows : rows.each("Cost", "Estimates", chosen.why());
  }

  private PlanOutline led(Plan.GsiRead plan) {
    PlanOutline rows = route("index-lookup", byIndex(plan.lookup()));
    lookup(plan.lookup(), rows);
    return unusable(plan.lookup(), plan.otherwise())
        .orElseGet(() -> finish(rows, plan.facts(), plan.lookup().ownerSqlShape(text)));
  }

  @Override
  public PlanOutline unsharded(Plan.Unsharded plan) {
    PlanOutline rows = route("unsharded", "unsharded");
    return finish(on(plan.shard(), rows), plan.facts(), text.sql());
  }

  @Override
  public PlanOutline authoritative(Plan.Authoritative plan) {
    PlanOutline rows = route("authoritative", "authoritative shard");
    return finish(on(plan.shard(), rows), plan.facts(), text.sql());
  }

  @Override
  public PlanOutline shardExplain(Plan.ShardExplain plan) {
    return outline(plan.explained(), parameters)
        .say("Explained by: the shards, each the SQL that it would be sent")
        .field("Explained By", "shards");
  }

  @Override
  public PlanOutline session(SessionCommand plan) {
    if (plan instanceof SessionCommand.DeclareCursor cursor) {
      return outline(cursor.query(), parameters);
    }
    return plan instanceof SessionCommand.ExplainRouter explain
        ? outline(explain.explained(), parameters)
        : route("router", "carried out by the router");
  }

  @Override
  public PlanOutline refused(Plan.Refused plan) {
    PlanOutline rows =
        new PlanOutline()
            .field("Kind", "refused")
            .say("Refused: %s (%s)".formatted(plan.message(), plan.code().id()))
            .field("Refused", plan.message())
            .field("Code", plan.code().id())
            .field("SQLSTATE", plan.code().sqlState());
    if (plan.detail() != null && !plan.detail().isEmpty()) {
      rows.add("Detail", plan.detail());
    }
    return rows.add("Hint", plan.hint() == null ? plan.code().remedy() : plan.hint());
  }
}
