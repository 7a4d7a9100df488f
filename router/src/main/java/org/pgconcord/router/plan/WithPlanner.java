package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadAnalysis;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.ConflictView;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;

/**
 * Plans WITH in front of a write, and CTEs that write (docs/decisions/0013): the whole statement
 * goes to one shard, where all that it reads and writes is. What each part reads is pinned as in a
 * query; what it inserts belongs there by constants, or by the shard keys of rows that it or a CTE
 * before it has read or written there.
 */
final class WithPlanner {
  private final PlanInput input;
  private final StatementView main;
  private final QueryView whole;
  private final ReadFacts facts;
  private final List<ShardBinding.Pin> stored = new ArrayList<>();
  private final NavigableSet<ShardId> local;
  private final Set<TableName> written = new LinkedHashSet<>();
  private Optional<Placement.Sharded> sharded = Optional.empty();
  private Optional<EntryWork> entries = Optional.empty();
  private final List<CteWrite> changes = new ArrayList<>();
  private final List<TableName> inserted = new ArrayList<>();

  /** What matters of other writes when all {@link #changes} are known. */
  private final List<Runnable> besideChanges = new ArrayList<>();

  WithPlanner(PlanInput input, StatementView main) {
    this.input = input;
    this.main = main;
    this.whole = main.scope();
    this.facts = ReadAnalysis.of(whole, input.names());
    this.local = new TreeSet<>(facts.local());
  }

  Plan plan() {
    if (!(main instanceof StatementView.Insert insert)
        || insert.source() != StatementView.Source.QUERY
        || whole.writes()) {
      return onOneShard();
    }
    try {
      requireNumbered(insert);
      return onOneShard();
    } catch (ConcordException e) {
      return fetched(insert, e);
    }
  }

  /** A shard's own sequence would give what other shards have given. */
  private void requireNumbered(StatementView.Insert insert) {
    if (input.names().find(insert.target().name()) instanceof Relation.Declared declared
        && declared.table().sharded()
        && !NumberRules.leftOut(input, declared.table(), insert).isEmpty()) {
      throw ErrorCode.WRITE_NUMBER.because(
          "an INSERT ... SELECT behind WITH leaves a column of %s to its sequence"
              .formatted(declared.table().name()));
    }
  }

  /** The CTEs write nothing: they and the SELECT are a query, whose rows are stored by value. */
  private Plan fetched(StatementView.Insert insert, ConcordException instead) {
    boolean other =
        switch (instead.code()) {
          case WRITE_CTE, WRITE_ON_CONFLICT, QUERY_CROSS_SHARD, WRITE_FROM_QUERY, WRITE_NUMBER ->
              false;
          default -> true;
        };
    if (other
        || !(input.names().find(insert.target().name()) instanceof Relation.Declared declared)
        || declared.table().shardKey().isEmpty()
        || !declared.table().sharded()) {
      throw instead;
    }
    DeclaredTable table = declared.table();
    List<Gsi> gsis = input.database().gsisOf(table.name());
    StatementFacts statement =
        new StatementFacts(
            Command.INSERT,
            true,
            List.of(table.name()),
            List.of(),
            StaleCopies.of(input, facts.references()));
    return new ShardedInserts(input, insert, facts, table, table.shardKey().get())
        .behindWith(gsis, maintained(gsis), statement, instead);
  }

  private Plan onOneShard() {
    Refusals.forbiddenRelations(facts);
    List<QueryView.Cte> before = new ArrayList<>();
    for (QueryView.Cte cte : whole.with()) {
      cte.write().ifPresent(write -> target("CTE " + cte.name(), write, before));
      before.add(cte);
    }
    if (!(main instanceof StatementView.Query)) {
      target("the main statement", main, before);
    }
    besideChanges.forEach(Runnable::run);
    if (local.size() > 1) {
      throw ErrorCode.QUERY_CROSS_SHARD.because("the tables are on several shards");
    }
    return sharded.isEmpty() && facts.sharded().isEmpty() ? onLocal() : onOne();
  }

  // --- what is written -------------------------------------------------------------------------

  private void target(String name, StatementView write, List<QueryView.Cte> before) {
    Relation relation = input.names().find(write.written().orElseThrow().name());
    if (relation instanceof Relation.Declared declared) {
      declared(name, write, declared.table(), before);
    } else if (relation instanceof Relation.Undeclared other
        && other.placement() instanceof Placement.Unsharded one) {
      local.add(one.shard());
    } else if (relation instanceof Relation.Misplaced hidden) {
      throw Refusals.misplaced(hidden.table());
    } else {
      throw cannot("this table is written in a statement with WITH");
    }
  }

  private void declared(
      String name, StatementView write, DeclaredTable table, List<QueryView.Cte> before) {
    written.add(table.name());
    if (table.placement() instanceof Placement.Unsharded one) {
      local.add(one.shard());
    } else if (table.placement() instanceof Placement.Sharded placement) {
      DeclaredTable.ShardKey key =
          table
              .shardKey()
              .orElseThrow(
                  () ->
                      ErrorCode.SCHEMA_NOT_READ.because(
                          "table %s is not on the shards as declared".formatted(table.name())));
      sharded = Optional.of(placement);
      Refusals.copiesOn(facts, placement.group().shards());
      if (write instanceof StatementView.Insert insert) {
        insert(name, insert, table, key, before);
      } else if (write instanceof StatementView.Update update) {
        update(name, update, table, key);
      } else {
        delete(name, (StatementView.Delete) write, table, key);
      }
    } else {
      throw cannot("%s is written in a statement with WITH".formatted(table.name()));
    }
  }

  private void insert(
      String name,
      StatementView.Insert insert,
      DeclaredTable table,
      DeclaredTable.ShardKey key,
      List<QueryView.Cte> before) {
    StatementView.Insert seeing =
        insert.withQuery(insert.query().map(q -> q.within(before, whole.recursive())));
    InsertRules rules = new InsertRules(input, seeing, table, key);
    ReferrerRules referrers = new ReferrerRules(input, table);
    insert.conflict().ifPresent(referrers::checkConflict);
    if (!referrers.checked().isEmpty()) {
      throw cannot(
          "%s refers to an index of another table, and is written in a statement with WITH"
              .formatted(table.name()));
    }
    List<Gsi> gsis = input.database().gsisOf(table.name());
    List<Gsi> maintained = maintained(gsis);
    if (rules.check(facts, gsis, maintained).isPresent()) {
      throw cannot("ON CONFLICT by a global index stands in a statement with WITH");
    }
    boolean values = insert.source() == StatementView.Source.VALUES;
    if (!values) {
      rules.conflict().ifPresent(conflict -> maintained.forEach(conflict::refuseChanged));
    }
    boolean changing =
        rules.conflict().filter(c -> maintained.stream().anyMatch(c::changes)).isPresent();
    stored.addAll(
        insert.source() == StatementView.Source.QUERY
            ? rules.stored(rules.selected())
            : rules.stored());
    boolean upsert = rules.conflict().filter(ConflictRules::updates).isPresent();
    inserted.add(table.name());
    besideChanges.add(() -> keysLeft(name, insert, table));
    besideChanges.add(() -> requireOneInsert(table));
    String alias = insert.target().alias();
    Optional<List<String>> arbiter = rules.conflict().flatMap(c -> c.arbiter(Optional.empty()));
    if (changing && insert.equals(main)) {
      change(name, insert, table, maintained, arbiter);
      return;
    }
    rows(
        name,
        insert,
        table,
        maintained,
        arbiter,
        upsert
            ? EntryColumns.upserted(input, alias, table, maintained, List.of())
            : EntryColumns.work(input, alias, table, maintained));
  }

  private void update(
      String name, StatementView.Update update, DeclaredTable table, DeclaredTable.ShardKey key) {
    List<Gsi> gsis = input.database().gsisOf(table.name());
    new ChangeRules(input, table, key, gsis).checkUpdate(update);
    new ReferrerRules(input, table).checkUpdate(update);
    for (Gsi gsi : gsis.stream().filter(gsi -> !gsi.extended()).toList()) {
      Set<String> touched = new HashSet<>(gsi.columns());
      touched.addAll(gsi.ownerPrimaryKey());
      touched.retainAll(update.assigned());
      if (!touched.isEmpty()) {
        throw cannot(
            "column \"%s\" of index %s is updated in a statement with WITH"
                .formatted(touched.iterator().next(), gsi.name()));
      }
    }
    boolean changing = new IndexedUpdateRules(input, update, table, key).changesEntries(gsis);
    boolean strict = maintained(gsis).stream().anyMatch(gsi -> !gsi.extended());
    if (strict && (whole.writes() || changing)) {
      throw owner(table);
    } else if (changing && !maintained(gsis).isEmpty()) {
      change(name, update, table, maintained(gsis), Optional.empty());
    } else if (!maintained(gsis).isEmpty()) {
      besideChanges.add(() -> alike(name, update, table, maintained(gsis)));
    }
  }

  /** Which of two parts gets a row is not said: both look for it afterwards. */
  private void alike(
      String name, StatementView.Update update, DeclaredTable table, List<Gsi> maintained) {
    if (changes.stream().anyMatch(is(table))) {
      change(name, update, table, maintained, Optional.empty());
    }
  }

  private void delete(
      String name, StatementView.Delete delete, DeclaredTable table, DeclaredTable.ShardKey key) {
    List<Gsi> gsis = input.database().gsisOf(table.name());
    List<Gsi> maintained = maintained(gsis);
    new ChangeRules(input, table, key, gsis).checkDelete(delete, maintained);
    rows(
        name,
        delete,
        table,
        maintained,
        Optional.empty(),
        EntryColumns.work(input, delete.target().alias(), table, maintained));
  }

  /** Only the main statement says which rows it has inserted or deleted. */
  private void rows(
      String name,
      StatementView write,
      DeclaredTable table,
      List<Gsi> maintained,
      Optional<List<String>> arbiter,
      Optional<EntryWork> work) {
    if (maintained.isEmpty()) {
      return;
    }
    boolean strict = maintained.stream().anyMatch(gsi -> !gsi.extended());
    if (strict && (!write.equals(main) || whole.writes())) {
      throw owner(table);
    } else if (!write.equals(main)
        || (write instanceof StatementView.Delete && changes.stream().anyMatch(is(table)))) {
      change(name, write, table, maintained, arbiter);
    } else {
      entries = work;
    }
  }

  /** How many rows a table gets tells whether those are known that ON CONFLICT has let in. */
  private void requireOneInsert(DeclaredTable table) {
    if (changes.stream().anyMatch(is(table).and(CteWrite::conflicts))
        && inserted.stream().filter(table.name()::equals).count() > 1) {
      throw cannot(
          "two parts insert rows into %s, one of them with ON CONFLICT".formatted(table.name()));
    }
  }

  private void keysLeft(String name, StatementView.Insert insert, DeclaredTable table) {
    List<String> assigned = insert.conflict().map(ConflictView::assigned).orElse(List.of());
    if (changes.stream().anyMatch(is(table))) {
      CteWrites.requireKeyLeft(name, assigned, table);
    }
  }

  private void change(
      String name,
      StatementView write,
      DeclaredTable table,
      List<Gsi> maintained,
      Optional<List<String>> arbiter) {
    WithItems items = WithItems.of(input, whole);
    changes.add(new CteWrites(input, items).part(name, write, table, maintained, arbiter));
  }

  private static Predicate<CteWrite> is(DeclaredTable table) {
    return change -> change.table().equals(table.name());
  }

  private RuntimeException owner(DeclaredTable table) {
    return ErrorCode.WRITE_CTE
        .because("%s owns a maintained index, and a CTE writes".formatted(table.name()))
        .withHint(
            "Set the index's gsi_mode to extended, or write the parts as separate statements.");
  }

  // --- where it goes ---------------------------------------------------------------------------

  /** Nothing sharded: everything is on the shard of the unsharded tables. */
  private Plan onLocal() {
    ShardId shard = local.isEmpty() ? input.authoritativeShard() : local.first();
    for (DeclaredTable reference : facts.references()) {
      if (!((Placement.Reference) reference.placement()).shards().contains(shard)) {
        throw ErrorCode.QUERY_CROSS_SHARD.because(
            "reference table %s has no copy on shard %s".formatted(reference.name(), shard));
      }
    }
    new CodeRules(input).onShard(Optional.of(shard));
    return new Plan.Unsharded(statement(), shard);
  }

  private Plan onOne() {
    if (!facts.pinned()) {
      throw cannot("not every sharded table in it is pinned by its shard key");
    }
    List<ShardBinding.Pin> pins = new ArrayList<>(stored);
    pins.addAll(new Bindings(input).compared(facts));
    Placement.Sharded placement = sharded.orElseGet(() -> facts.sharded().get(0).key().placement());
    ShardBinding binding =
        new ShardBinding(pins, placement.group().shards().get(0), local.stream().findFirst());
    Plan elsewhere =
        Refusals.refused(
            ErrorCode.WRITE_SEVERAL_SHARDS.because(
                "the values do not lead to one shard for all parts of the statement"));
    if (!changes.isEmpty()) {
      Optional<Plan.WriteKind> kind =
          main instanceof StatementView.Query ? Optional.empty() : Optional.of(kind());
      return new Plan.WritesInWith(statement(), kind, binding, changes, entries, elsewhere);
    }
    Optional<TableName> target = main.written().flatMap(named -> declaredName(named.name()));
    return target.isEmpty()
        ? new Plan.OneShard(statement(), binding, elsewhere)
        : new Plan.Write(statement(), kind(), target.get(), binding, entries, elsewhere);
  }

  private Optional<TableName> declaredName(List<String> name) {
    return input.names().find(name) instanceof Relation.Declared declared
        ? Optional.of(declared.table().name())
        : Optional.empty();
  }

  private StatementFacts statement() {
    Command command =
        main instanceof StatementView.Query ? Command.SELECT : Command.valueOf(kind().name());
    return new StatementFacts(
        command, true, List.copyOf(written), List.of(), StaleCopies.of(input, facts.references()));
  }

  private Plan.WriteKind kind() {
    if (main instanceof StatementView.Insert) {
      return Plan.WriteKind.INSERT;
    }
    return main instanceof StatementView.Update ? Plan.WriteKind.UPDATE : Plan.WriteKind.DELETE;
  }

  private List<Gsi> maintained(List<Gsi> gsis) {
    return gsis.stream()
        .filter(g -> input.context().state().status(g.name()).state().maintained())
        .toList();
  }

  private static RuntimeException cannot(String why) {
    return ErrorCode.WRITE_CTE.because(why);
  }
}
