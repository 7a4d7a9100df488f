package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;

/** A plan in words: what EXPLAIN (ROUTER) and the {@code plan} command show. */
public final class PlanText implements Plan.Cases<PlanOutline> {
  private final StatementText text;
  private final Parameters parameters;
  private final IndexCosts costs;

  private PlanText(StatementText text, Parameters parameters, IndexCosts costs) {
    this.text = text;
    this.parameters = parameters;
    this.costs = costs;
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

  private static PlanOutline route(String kind, String words) {
    return new PlanOutline().field("Kind", kind).add("Route", words);
  }

  // --- reads -----------------------------------------------------------------------------------

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

  // --- writes ----------------------------------------------------------------------------------

  @Override
  public PlanOutline gsiWrite(Plan.GsiWrite plan) {
    LookupRead lookup = plan.lookup();
    PlanOutline rows = route("write-by-index", "%s by %s".formatted(plan.kind(), byIndex(lookup)));
    lookup(lookup, rows);
    maintains(plan.entries().filter(work -> plan.changes()), rows);
    return unusable(lookup, plan.otherwise()).orElseGet(() -> written(plan, rows));
  }

  private PlanOutline written(Plan.GsiWrite plan, PlanOutline rows) {
    Optional<EntryWork> entries = plan.entries();
    if (entries.flatMap(EntryWork::old).isPresent()) {
      return changed(rows, plan.facts(), entries, plan.lookup().ownerConditionShape());
    }
    String behind = entries.map(e -> e.edit().text()).orElse("");
    return finish(rows, plan.facts(), plan.lookup().ownerSqlShape(text) + behind);
  }

  private PlanOutline elsewhere(Plan otherwise, Bound bound) {
    return otherwise
        .match(this)
        .say("Not one shard: " + bound.text())
        .field("Not One Shard", bound.text());
  }

  @Override
  public PlanOutline writesInWith(Plan.WritesInWith plan) {
    Bound bound = bound(plan.binding());
    if (bound.elsewhere()) {
      return elsewhere(plan.otherwise(), bound);
    }
    PlanOutline rows =
        route(
            "write-in-with",
            plan.kind().map(Plan.WriteKind::name).orElse("SELECT")
                + " with CTEs that change entries, on one shard");
    groups(plan.binding(), rows);
    bound.on(rows);
    List<String> indexes =
        Stream.concat(plan.changes().stream().map(CteWrite::work), plan.entries().stream())
            .flatMap(work -> work.gsis().stream())
            .map(gsi -> gsi.name().toString())
            .distinct()
            .toList();
    listed("Maintains", indexes, rows);
    listed("Before", plan.before(text), rows);
    return finish(rows, plan.facts(), plan.sql(text, change -> "rows found", "met"));
  }

  @Override
  public PlanOutline write(Plan.Write plan) {
    Bound bound = bound(plan.binding());
    if (bound.elsewhere()) {
      return elsewhere(plan.otherwise(), bound);
    }
    PlanOutline rows = route("write-one-shard", "%s on one shard".formatted(plan.kind()));
    groups(plan.binding(), rows);
    bound.on(rows);
    maintains(plan.entries(), rows);
    return changed(rows, plan.facts(), plan.entries(), "");
  }

  /** What is sent, before it the query that locks the rows. */
  private PlanOutline changed(
      PlanOutline rows, StatementFacts facts, Optional<EntryWork> entries, String narrowing) {
    Optional<OldRows> old = entries.flatMap(EntryWork::old);
    if (old.isEmpty()) {
      return finish(rows, facts, entries.map(e -> e.sql(text)).orElse(text.sql()));
    }
    rows.add("Before", old.get().lock(text, EntryWork.ROWS_MOST + 1, narrowing));
    return finish(
        rows,
        facts,
        old.get().update(text, "rows found", entries.map(e -> e.edit().text()).orElse("")));
  }

  @Override
  public PlanOutline copyWrite(Plan.CopyWrite plan) {
    PlanOutline rows =
        route("write-all-copies", plan.kind() + " on all copies of a reference table")
            .add("Leader", plan.leader().uid())
            .say("Then: the changed rows by value on " + joined(plan.others()))
            .shards("Then", plan.others())
            .add("Change", plan.work().change());
    return finish(rows, plan.facts(), plan.work().sql(text));
  }

  @Override
  public PlanOutline insertInParts(Plan.InsertInParts plan) {
    PlanOutline rows = route("insert-in-parts", "INSERT in one part for each shard");
    maintains(plan.entries(), rows);
    String appended = plan.entries().map(e -> e.edit().text()).orElse("");
    if (plan.rows().needs() > parameters.count()) {
      rows.say("Shards: decided by the parameters")
          .field("Shards Undecided", "decided by the parameters");
      return finish(rows, plan.facts(), text.sql() + appended);
    }
    parts(plan.rows().parts(text, parameters, appended), rows);
    return tables(plan.facts(), rows);
  }

  private static void parts(List<RowSplit.Part> parts, PlanOutline rows) {
    rows.parts(
        "Parts",
        parts.stream()
            .map(part -> "Shard %s: %d rows".formatted(part.shard(), part.rows().size()))
            .toList(),
        parts.stream()
            .map(
                part ->
                    new PlanOutline()
                        .field("Shard", part.shard().uid())
                        .count("Rows", part.rows().size())
                        .add("SQL", part.sql().strip()))
            .toList());
  }

  @Override
  public PlanOutline writeOnAll(Plan.WriteOnAll plan) {
    PlanOutline rows =
        route(
                plan.binding().isPresent() ? "write-some-shards" : "write-all-shards",
                plan.kind()
                    + (plan.binding().isPresent()
                        ? " on the shards of its keys"
                        : " on all shards"))
            .detail("Group", plan.group().uid());
    if (plan.binding().isPresent()) {
      narrowed(plan.group(), plan.binding(), () -> plan.shards(text, parameters))
          .on(rows, "Shards: ");
    } else {
      rows.add("Shards", uids(plan.group().shards()));
    }
    maintains(plan.entries(), rows);
    return changed(rows, plan.facts(), plan.entries(), "");
  }

  @Override
  public PlanOutline insertUnlessTaken(Plan.InsertUnlessTaken plan) {
    PlanOutline rows =
        route(
            "insert-unless-taken",
            "INSERT in one part for each shard, keys taken elsewhere known by their entries");
    maintains(Optional.of(plan.entries()), rows);
    rows.add("Arbiters", plan.taken().indexes().stream().map(Object::toString).sorted().toList());
    rows.add("Taken", "the row is left out, each row by itself");
    if (plan.rows().needs() > parameters.count()) {
      rows.say("Shards: decided by the parameters")
          .field("Shards Undecided", "decided by the parameters");
      return finish(rows, plan.facts(), plan.whole(text));
    }
    parts(plan.parts(text, parameters), rows);
    return tables(plan.facts(), rows);
  }

  @Override
  public PlanOutline upsert(Plan.Upsert plan) {
    PlanOutline rows =
        route("upsert", "INSERT or UPDATE in one part for each shard, the rows in the way known");
    maintains(Optional.of(plan.entries()), rows);
    if (!plan.taken().indexes().isEmpty()) {
      rows.add("Arbiters", plan.taken().indexes().stream().map(Object::toString).sorted().toList());
      rows.say("Taken by another shard key: refused").field("Taken", "refused");
    }
    if (plan.rows().needs() > parameters.count()) {
      rows.say("Shards: decided by the parameters")
          .field("Shards Undecided", "decided by the parameters");
      return finish(rows, plan.facts(), plan.whole(text));
    }
    List<RowSplit.Part> parts = plan.parts(text, parameters);
    plan.met()
        .flatMap(
            met -> parts.stream().flatMap(part -> met.lock(text, part.rows()).stream()).findFirst())
        .ifPresent(lock -> rows.add("Before", lock));
    parts(parts, rows);
    return tables(plan.facts(), rows);
  }

  private static void maintains(Optional<EntryWork> entries, PlanOutline rows) {
    entries.ifPresent(
        work -> {
          listed(
              "Maintains",
              work.gsis().stream().map(Gsi::name).map(Object::toString).toList(),
              rows);
          listed(
              "Checks",
              work.references().stream().map(Referrer::gsi).map(Object::toString).toList(),
              rows);
        });
  }

  /** As the statement is planned with some numbers. */
  @Override
  public PlanOutline numbered(Plan.Numbered plan) {
    List<String> numbers =
        plan.edits().slots().stream()
            .map(
                slot ->
                    slot.current()
                        ? "the last of %s in this session".formatted(slot.sequence().name())
                        : "%d of %s from the router's blocks, here from 1 on"
                            .formatted(slot.count(), slot.sequence().name()))
            .toList();
    return outline(plan.sample(text), parameters).add("Numbers", numbers);
  }

  private static void listed(String name, List<String> all, PlanOutline rows) {
    if (!all.isEmpty()) {
      rows.add(name, all);
    }
  }

  @Override
  public PlanOutline merge(Plan.Merge plan) {
    PlanOutline rows = route("merge", "MERGE on one shard");
    try {
      on(plan.shard(text, parameters), rows);
    } catch (ConcordException e) {
      rows.add("Shard", e.message());
    }
    plan.entries()
        .ifPresent(
            work ->
                listed(
                    "Maintains",
                    work.gsis().stream().map(Gsi::name).map(Object::toString).toList(),
                    rows));
    return finish(
        rows, plan.facts(), plan.entries().map(work -> work.sql(text)).orElseGet(text::sql));
  }

  @Override
  public PlanOutline copyQuery(Plan.CopyQuery plan) {
    PlanOutline rows = route("copy-query", "COPY of a query that is finished over gathered rows");
    query(plan.select(), plan.query(), rows);
    return finish(rows, plan.facts(), text.sql());
  }

  private void query(Plan select, String sql, PlanOutline rows) {
    PlanOutline query =
        select.match(new PlanText(new StatementText(sql, Lexer.scan(sql)), parameters, costs));
    rows.parts("Query", List.of("Query"), List.of(query));
  }

  @Override
  public PlanOutline insertGathered(Plan.InsertGathered plan) {
    PlanOutline rows =
        route("insert-gathered", "INSERT of rows that are fetched first, each to its shard");
    maintains(plan.entries(), rows);
    if (plan.conflicts().isPresent()) {
      rows.add("Stored", "as one INSERT ... VALUES, planned when its rows are known");
    }
    query(plan.select(), plan.parts().query(text), rows);
    listed(
        "Numbers",
        plan.numbered().stream()
            .map(c -> "column %s by %s".formatted(c.name(), c.sequence().name()))
            .toList(),
        rows);
    return finish(rows, plan.facts(), text.sql());
  }

  // --- COPY ------------------------------------------------------------------------------------

  @Override
  public PlanOutline copyFrom(Plan.CopyFrom plan) {
    PlanOutline rows =
        route("copy-from", "COPY, each row to its shard")
            .detail("Group", plan.group().uid())
            .add("Shards", uids(plan.group().shards()))
            .add("By", fields(plan.target()));
    return finish(rows, plan.facts(), plan.sql());
  }

  private static List<String> fields(CopyTarget target) {
    return target.keyPlaces().stream().map(i -> "field " + (i + 1)).toList();
  }

  @Override
  public PlanOutline copyByInsert(Plan.CopyByInsert plan) {
    RowInserts inserts = plan.inserts();
    PlanOutline rows =
        route(
            "copy-by-insert",
            "COPY by INSERT, up to %d rows at a time".formatted(inserts.rowsMost()));
    plan.into()
        .match(
            new CopyInto.Cases<PlanOutline>() {
              @Override
              public PlanOutline owner(CopyInto.Owner into) {
                maintains(Optional.of(into.entries()), rows);
                return rows.detail("Group", into.group().uid())
                    .add("Shards", uids(into.group().shards()))
                    .add("By", fields(into.target()));
              }

              @Override
              public PlanOutline copies(CopyInto.Copies into) {
                return rows.add("Leader", into.leader().uid())
                    .say("Then: the stored rows by value on " + joined(into.others()))
                    .shards("Then", into.others())
                    .add("Change", into.work().change());
              }
            });
    return finish(rows, plan.facts(), inserts.oneRow());
  }

  @Override
  public PlanOutline copyTo(Plan.CopyTo plan) {
    PlanOutline rows =
        route("copy-to", "COPY of all shards, concatenated").add("Shards", uids(plan.shards()));
    return finish(rows, plan.facts(), plan.sql());
  }

  // --- what no shard sees ----------------------------------------------------------------------

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

  // --- an index --------------------------------------------------------------------------------

  private static String byIndex(LookupRead lookup) {
    return lookup.index().gsi().unique() && lookup.isLone()
        ? "index lookup, then one shard"
        : "index lookup, then the shards that it names";
  }

  private void lookup(LookupRead lookup, PlanOutline rows) {
    List<ShardId> shards = lookup.lookupShards(text, parameters);
    List<String> by = lookup.index().key().stream().map(IndexColumn::quoted).toList();
    rows.say("Index: %s (epoch %d)".formatted(lookup.index().name(), lookup.epoch()))
        .field("Index", lookup.index().name().toString())
        .count("Epoch", lookup.epoch())
        .say(
            "Lookup: %s on %s by %s"
                .formatted(
                    lookup.index().gsi().lookup(),
                    (shards.size() == 1 ? "" : "one of ") + joined(shards),
                    String.join(", ", by)))
        .field("Lookup Table", lookup.index().gsi().lookup().toString())
        .shards("Lookup On One Of", shards)
        .field("Key", by)
        .say(
            "Owner: %s, one of %s"
                .formatted(lookup.index().owner().name(), joined(lookup.index().ownerShards())))
        .field("Owner", lookup.index().owner().name().toString())
        .shards("One Of", lookup.index().ownerShards());
    if (lookup.covering().isPresent()) {
      rows.add("Covering", "the entry answers where it has no token");
    }
  }

  /** The other way, when a value is known that the index cannot be asked for. */
  private Optional<PlanOutline> unusable(LookupRead lookup, Plan otherwise) {
    return lookup.keys(text, parameters) instanceof LookupRead.Keys.Unusable unusable
            && !unusable.missing()
        ? Optional.of(
            otherwise
                .match(this)
                .say("Index %s not used: %s".formatted(lookup.index().name(), unusable.reason()))
                .field("Index Not Used", lookup.index().name() + ": " + unusable.reason()))
        : Optional.empty();
  }

  // --- places ----------------------------------------------------------------------------------

  /** What became of a binding: a shard, a reason why there is none, or what is still missing. */
  private record Bound(String text, boolean elsewhere, Optional<ShardId> shard) {
    PlanOutline on(PlanOutline rows) {
      rows.say("Shard: " + text);
      return shard
          .map(found -> rows.shards("Shards", List.of(found)))
          .orElseGet(() -> rows.field("Shards Undecided", text));
    }
  }

  private Bound bound(ShardBinding binding) {
    if (binding.needs() > parameters.count()) {
      return new Bound("decided by the parameters", false, Optional.empty());
    }
    try {
      Resolution resolution = binding.resolve(text, parameters);
      return resolution instanceof Resolution.One one
          ? new Bound(one.shard().uid(), false, Optional.of(one.shard()))
          : new Bound(((Resolution.NotOne) resolution).reason(), true, Optional.empty());
    } catch (ConcordException e) {
      return new Bound("none: " + e.message(), false, Optional.empty());
    }
  }

  /** The shards of a group that matter, or that the parameters will tell. */
  private record Narrowed(String text, Optional<List<ShardId>> known) {
    void on(PlanOutline rows, String line) {
      rows.say(line + text);
      known.ifPresentOrElse(
          found -> rows.shards("Shards", found), () -> rows.field("Shards Undecided", text));
    }
  }

  private Narrowed narrowed(
      ShardGroup group, Optional<ShardBinding> binding, Supplier<List<ShardId>> shards) {
    boolean open = binding.map(b -> b.needs() > parameters.count()).orElse(false);
    if (open) {
      return new Narrowed(
          "those of %s that the parameters decide".formatted(joined(group.shards())),
          Optional.empty());
    }
    List<ShardId> found = shards.get();
    return new Narrowed(found.isEmpty() ? "none" : joined(found), Optional.of(found));
  }

  private static PlanOutline on(ShardId shard, PlanOutline rows) {
    return rows.say("Shard: " + shard).shards("Shards", List.of(shard));
  }

  private static void groups(ShardBinding binding, PlanOutline rows) {
    List<String> groups =
        binding.pins().stream().map(pin -> pin.locator().group()).distinct().toList();
    groups.forEach(group -> rows.detail("Group", group));
  }

  private PlanOutline finish(PlanOutline rows, StatementFacts facts, String sql) {
    tables(facts, rows).add("SQL", sql.strip());
    return reasons(facts, rows);
  }

  private static PlanOutline tables(StatementFacts facts, PlanOutline rows) {
    List<String> tables = facts.tables().stream().map(Object::toString).toList();
    if (!tables.isEmpty()) {
      rows.add("Tables", tables);
    }
    return rows;
  }

  private static PlanOutline reasons(StatementFacts facts, PlanOutline rows) {
    facts.stale().lines().forEach(rows::say);
    return rows.field("Marked", facts.stale().lines()).each("Why", "Why Not Better", facts.why());
  }

  private static List<String> uids(Collection<ShardId> shards) {
    return shards.stream().map(ShardId::uid).toList();
  }

  private static String joined(Collection<ShardId> shards) {
    return String.join(", ", uids(shards));
  }
}
