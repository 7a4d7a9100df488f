package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.sql.StatementText;

/** The outlines of statements that write, COPY in both directions among them. */
abstract class WriteOutlines extends OutlineParts {
  WriteOutlines(StatementText text, Parameters parameters, IndexCosts costs) {
    super(text, parameters, costs);
  }

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
    return PlanText.outline(plan.sample(text), parameters).add("Numbers", numbers);
  }

  @Override
  public PlanOutline merge(Plan.Merge plan) {
    PlanOutline rows = route("write-merge", "MERGE on one shard");
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

  @Override
  public PlanOutline queryFirst(QueryFirst plan) {
    PlanOutline rows =
        route("query-first", plan.facts().command() + " by the rows of a query that runs first");
    query(plan.select(), plan.found().query(text), rows);
    rows.parts(
        "Then",
        List.of("Then, with the values of its rows"),
        List.of(PlanText.outline(plan.sampled(text), parameters, costs)));
    return finish(rows, plan.facts(), text.sql());
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
}
