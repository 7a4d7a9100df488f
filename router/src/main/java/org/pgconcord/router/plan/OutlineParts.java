package org.pgconcord.router.plan;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;

/** What the outlines of several plans have in common: places, tables, entries, reasons. */
abstract class OutlineParts implements Plan.Cases<PlanOutline> {
  final StatementText text;
  final Parameters parameters;
  final IndexCosts costs;

  OutlineParts(StatementText text, Parameters parameters, IndexCosts costs) {
    this.text = text;
    this.parameters = parameters;
    this.costs = costs;
  }

  static PlanOutline route(String kind, String words) {
    return new PlanOutline().field("Kind", kind).add("Route", words);
  }

  PlanOutline elsewhere(Plan otherwise, Bound bound) {
    return otherwise
        .match(this)
        .say("Not one shard: " + bound.text())
        .field("Not One Shard", bound.text());
  }

  static void maintains(Optional<EntryWork> entries, PlanOutline rows) {
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

  static void listed(String name, List<String> all, PlanOutline rows) {
    if (!all.isEmpty()) {
      rows.add(name, all);
    }
  }

  void query(Plan select, String sql, PlanOutline rows) {
    PlanOutline query =
        PlanText.outline(
            new Planned(select, new StatementText(sql, Lexer.scan(sql))), parameters, costs);
    rows.parts("Query", List.of("Query"), List.of(query));
  }

  static String byIndex(LookupRead lookup) {
    return lookup.index().gsi().unique() && lookup.isLone()
        ? "index lookup, then one shard"
        : "index lookup, then the shards that it names";
  }

  void lookup(LookupRead lookup, PlanOutline rows) {
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
  Optional<PlanOutline> unusable(LookupRead lookup, Plan otherwise) {
    return lookup.keys(text, parameters) instanceof LookupRead.Keys.Unusable unusable
            && !unusable.missing()
        ? Optional.of(
            otherwise
                .match(this)
                .say("Index %s not used: %s".formatted(lookup.index().name(), unusable.reason()))
                .field("Index Not Used", lookup.index().name() + ": " + unusable.reason()))
        : Optional.empty();
  }

  /** What became of a binding: a shard, a reason why there is none, or what is still missing. */
  record Bound(String text, boolean elsewhere, Optional<ShardId> shard) {
    PlanOutline on(PlanOutline rows) {
      rows.say("Shard: " + text);
      return shard
          .map(found -> rows.shards("Shards", List.of(found)))
          .orElseGet(() -> rows.field("Shards Undecided", text));
    }
  }

  Bound bound(ShardBinding binding) {
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
  record Narrowed(String text, Optional<List<ShardId>> known) {
    void on(PlanOutline rows, String line) {
      rows.say(line + text);
      known.ifPresentOrElse(
          found -> rows.shards("Shards", found), () -> rows.field("Shards Undecided", text));
    }
  }

  Narrowed narrowed(
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

  static PlanOutline on(ShardId shard, PlanOutline rows) {
    return rows.say("Shard: " + shard).shards("Shards", List.of(shard));
  }

  static void groups(ShardBinding binding, PlanOutline rows) {
    List<String> groups =
        binding.pins().stream().map(pin -> pin.locator().group()).distinct().toList();
    groups.forEach(group -> rows.detail("Group", group));
  }

  PlanOutline finish(PlanOutline rows, StatementFacts facts, String sql) {
    tables(facts, rows).add("SQL", sql.strip());
    return reasons(facts, rows);
  }

  static PlanOutline tables(StatementFacts facts, PlanOutline rows) {
    List<String> tables = facts.tables().stream().map(Object::toString).toList();
    if (!tables.isEmpty()) {
      rows.add("Tables", tables);
    }
    return rows;
  }

  static PlanOutline reasons(StatementFacts facts, PlanOutline rows) {
    facts.stale().lines().forEach(rows::say);
    return rows.field("Marked", facts.stale().lines()).each("Why", "Why Not Better", facts.why());
  }

  static List<String> uids(Collection<ShardId> shards) {
    return shards.stream().map(ShardId::uid).toList();
  }

  static String joined(Collection<ShardId> shards) {
    return String.join(", ", uids(shards));
  }
}
