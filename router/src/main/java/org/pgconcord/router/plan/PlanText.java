package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.IndexColumn;
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
    Bound bound = bound(plan.binding());
    if (bound.elsewhere()) {
      List<String> rows = new ArrayList<>(plan.otherwise().match(this));
      rows.add("  Not one shard: " + bound.text());
      return rows;
    }
    List<String> rows = new ArrayList<>();
    rows.add("Route: one shard, by shard key");
    rows.add("  Shard: " + bound.text());
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
    rows.add(
        "  Shards: " + narrowed(plan.group(), plan.binding(), () -> plan.shards(text, parameters)));
    return finish(rows, plan.facts(), text.sql());
  }

  private String narrowed(
      ShardGroup group, Optional<ShardBinding> binding, Supplier<List<ShardId>> shards) {
    boolean open = binding.map(b -> b.needs() > parameters.count()).orElse(false);
    if (open) {
      return "those of %s that the parameters decide".formatted(joined(group.shards()));
    }
    List<ShardId> found = shards.get();
    return found.isEmpty() ? "none" : joined(found);
  }

  @Override
  public List<String> gather(Plan.Gather plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: rows gathered, finished on one shard");
    rows.add("  Finish: " + plan.finishers().get(0));
    for (Fetch fetch : plan.fetches()) {
      rows.add(
          "  Fetch: %s from %s"
              .formatted(
                  fetch.table(),
                  narrowed(fetch.group(), fetch.binding(), () -> fetch.shards(text, parameters))));
      rows.add("    SQL: " + fetch.sql().render(text));
    }
    if (!plan.finish().words().isEmpty()) {
      rows.add("  Partial: " + plan.finish().words());
    }
    return finish(rows, plan.facts(), text.sql());
  }

  @Override
  public List<String> gsiRead(Plan.GsiRead plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: " + byIndex(plan.lookup()));
    lookup(plan.lookup(), rows);
    return unusable(plan.lookup(), plan.otherwise())
        .orElseGet(() -> finish(rows, plan.facts(), plan.lookup().ownerSqlShape(text)));
  }

  @Override
  public List<String> gsiWrite(Plan.GsiWrite plan) {
    LookupRead lookup = plan.lookup();
    List<String> rows = new ArrayList<>();
    rows.add("Route: %s by %s".formatted(plan.kind(), byIndex(lookup)));
    lookup(lookup, rows);
    maintains(plan.entries(), rows);
    return unusable(lookup, plan.otherwise()).orElseGet(() -> written(plan, rows));
  }

  private List<String> written(Plan.GsiWrite plan, List<String> rows) {
    Optional<EntryWork> entries = plan.entries();
    if (entries.flatMap(EntryWork::old).isPresent()) {
      return changed(rows, plan.facts(), entries, plan.lookup().ownerConditionShape());
    }
    String behind = entries.map(e -> e.edit().text()).orElse("");
    return finish(rows, plan.facts(), plan.lookup().ownerSqlShape(text) + behind);
  }

  private static String byIndex(LookupRead lookup) {
    return lookup.index().gsi().unique()
        ? "index lookup, then one shard"
        : "index lookup, then the shards that it names";
  }

  private void lookup(LookupRead lookup, List<String> rows) {
    rows.add("  Index: %s (epoch %d)".formatted(lookup.index().name(), lookup.epoch()));
    rows.add(
        "  Lookup: %s on %s by %s"
            .formatted(
                lookup.index().gsi().lookup(),
                lookupPlace(lookup),
                lookup.index().key().stream()
                    .map(IndexColumn::quoted)
                    .collect(Collectors.joining(", "))));
    rows.add(
        "  Owner: %s, one of %s"
            .formatted(lookup.index().owner().name(), joined(lookup.index().ownerShards())));
  }

  /** The other way, when a value is known that the index cannot be asked for. */
  private Optional<List<String>> unusable(LookupRead lookup, Plan otherwise) {
    return lookup.key(text, parameters).stream()
        .filter(value -> value instanceof KeyValue.NotConvertible)
        .map(value -> (KeyValue.NotConvertible) value)
        .filter(value -> !value.missing())
        .findFirst()
        .map(
            value -> {
              List<String> others = new ArrayList<>(otherwise.match(this));
              others.add(
                  "  Index %s not used: %s".formatted(lookup.index().name(), value.reason()));
              return others;
            });
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
    Bound bound = bound(plan.binding());
    if (bound.elsewhere()) {
      rows.addAll(plan.otherwise().match(this));
      rows.add("  Not one shard: " + bound.text());
      return rows;
    }
    rows.add("Route: %s on one shard".formatted(plan.kind()));
    rows.add("  Shard: " + bound.text());
    maintains(plan.entries(), rows);
    return changed(rows, plan.facts(), plan.entries(), "");
  }

  /** What is sent, before it the query that locks the rows. */
  private List<String> changed(
      List<String> rows, StatementFacts facts, Optional<EntryWork> entries, String narrowing) {
    Optional<OldRows> old = entries.flatMap(EntryWork::old);
    if (old.isEmpty()) {
      return finish(rows, facts, entries.map(e -> e.sql(text)).orElse(text.sql()));
    }
    rows.add("  Before: " + old.get().lock(text, EntryWork.ROWS_MOST + 1, narrowing));
    return finish(
        rows,
        facts,
        old.get().update(text, "rows found", entries.map(e -> e.edit().text()).orElse("")));
  }

  @Override
  public List<String> copyWrite(Plan.CopyWrite plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: %s on all copies of a reference table".formatted(plan.kind()));
    rows.add("  Leader: " + plan.leader());
    rows.add("  Then: the changed rows by value on " + joined(plan.others()));
    rows.add("  Change: " + plan.work().change());
    return finish(rows, plan.facts(), plan.work().sql(text));
  }

  @Override
  public List<String> insertInParts(Plan.InsertInParts plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: INSERT in one part for each shard");
    maintains(plan.entries(), rows);
    String appended = plan.entries().map(e -> e.edit().text()).orElse("");
    if (plan.rows().needs() > parameters.count()) {
      rows.add("  Shards: decided by the parameters");
      return finish(rows, plan.facts(), text.sql() + appended);
    }
    for (RowSplit.Part part : plan.rows().parts(text, parameters, appended)) {
      rows.add("  Shard %s: %d rows".formatted(part.shard(), part.rows().size()));
      rows.add("    SQL: " + part.sql().strip());
    }
    rows.add("  Tables: " + plan.facts().tables().get(0));
    return rows;
  }

  @Override
  public List<String> writeOnAll(Plan.WriteOnAll plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: %s on all shards".formatted(plan.kind()));
    rows.add("  Shards: " + joined(plan.group().shards()));
    maintains(plan.entries(), rows);
    return changed(rows, plan.facts(), plan.entries(), "");
  }

  @Override
  public List<String> insertUnlessTaken(Plan.InsertUnlessTaken plan) {
    List<String> rows = new ArrayList<>();
    rows.add(
        "Route: INSERT in one part for each shard, keys taken elsewhere known by their entries");
    maintains(Optional.of(plan.entries()), rows);
    rows.add(
        "  Arbiters: "
            + plan.taken().indexes().stream()
                .map(Object::toString)
                .sorted()
                .collect(Collectors.joining(", ")));
    rows.add(
        plan.taken().skips()
            ? "  Taken: the row is left out, each row by itself"
            : "  Taken by another shard key: refused");
    if (plan.rows().needs() > parameters.count()) {
      rows.add("  Shards: decided by the parameters");
      return finish(rows, plan.facts(), plan.whole(text));
    }
    for (RowSplit.Part part : plan.parts(text, parameters)) {
      rows.add("  Shard %s: %d rows".formatted(part.shard(), part.rows().size()));
      rows.add("    SQL: " + part.sql().strip());
    }
    rows.add("  Tables: " + plan.facts().tables().get(0));
    return rows;
  }

  @Override
  public List<String> copyFrom(Plan.CopyFrom plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: COPY, each row to its shard");
    rows.add("  Shards: " + joined(plan.group().shards()));
    rows.add(
        "  By: "
            + plan.target().keyPlaces().stream()
                .map(i -> "field " + (i + 1))
                .collect(Collectors.joining(", ")));
    return finish(rows, plan.facts(), plan.sql());
  }

  @Override
  public List<String> copyTo(Plan.CopyTo plan) {
    List<String> rows = new ArrayList<>();
    rows.add("Route: COPY of all shards, concatenated");
    rows.add("  Shards: " + joined(plan.shards()));
    return finish(rows, plan.facts(), plan.sql());
  }

  private static void maintains(Optional<EntryWork> entries, List<String> rows) {
    entries.map(EntryWork::gsis).ifPresent(all -> listed("  Maintains: ", all, Gsi::name, rows));
    entries
        .map(EntryWork::references)
        .ifPresent(all -> listed("  Checks: ", all, Referrer::gsi, rows));
  }

  private static <T> void listed(
      String word, List<T> all, Function<T, GsiName> name, List<String> rows) {
    if (!all.isEmpty()) {
      rows.add(
          word + all.stream().map(name).map(GsiName::toString).collect(Collectors.joining(", ")));
    }
  }

  @Override
  public List<String> session(SessionCommand plan) {
    return plan instanceof SessionCommand.ExplainRouter explain
        ? render(explain.explained(), parameters)
        : List.of("Route: carried out by the router");
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

  /** What became of a binding: a shard, a reason why there is none, or what is still missing. */
  private record Bound(String text, boolean elsewhere) {}

  private Bound bound(ShardBinding binding) {
    if (binding.needs() > parameters.count()) {
      return new Bound("decided by the parameters", false);
    }
    try {
      Resolution resolution = binding.resolve(text, parameters);
      return resolution instanceof Resolution.One one
          ? new Bound(one.shard().uid(), false)
          : new Bound(((Resolution.NotOne) resolution).reason(), true);
    } catch (ConcordException e) {
      return new Bound("none: " + e.message(), false);
    }
  }

  private List<String> finish(List<String> rows, StatementFacts facts, String sql) {
    if (!facts.tables().isEmpty()) {
      rows.add(
          "  Tables: "
              + facts.tables().stream().map(Object::toString).collect(Collectors.joining(", ")));
    }
    rows.add("  SQL: " + sql.strip());
    facts.stale().lines().forEach(line -> rows.add("  " + line));
    facts.why().forEach(reason -> rows.add("  Why: " + reason));
    return rows;
  }

  private String lookupPlace(LookupRead lookup) {
    List<ShardId> shards = lookup.lookupShards(text, parameters);
    return (shards.size() == 1 ? "" : "one of ") + joined(shards);
  }

  private static String joined(Collection<ShardId> shards) {
    return shards.stream().map(ShardId::uid).collect(Collectors.joining(", "));
  }
}
