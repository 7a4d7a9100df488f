package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.analyse.UserCodeUses;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.CopyReader;
import org.pgconcord.router.sql.CopyStatement;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.UnreadableException;

/**
 * Plans COPY. It takes no parameters, so that everything is decided here. What concerns one shard
 * is sent there as it is ({@link Plan.Unsharded}, {@link Plan.AnyCopy}, {@link
 * Plan.Authoritative}); the rest is split or gathered (docs/decisions/0014).
 */
final class CopyPlanner {
  private final StatementPlanner planner;
  private final PlanInput input;
  private final CopyStatement copy;

  CopyPlanner(StatementPlanner planner, PlanInput input) {
    this.planner = planner;
    this.input = input;
    try {
      this.copy = CopyReader.read(input.tokens());
    } catch (UnreadableException e) {
      throw ErrorCode.SQL_UNREADABLE.because("the router cannot read " + e.construct());
    }
    if (copy.other() != CopyStatement.Other.NONE) {
      throw ErrorCode.SQL_COPY_SERVER.because(
          copy.other() == CopyStatement.Other.FILE
              ? "COPY names a file on a server"
              : "COPY names a program on a server");
    }
  }

  /** No declared table is named: the authoritative shard's business. */
  Plan undeclared() {
    requireKnownFunctions();
    boolean writes =
        copy.into()
            || (copy.query().isPresent() && input.callsMayWrite())
            || input.clauses().has("insert", "update", "delete", "merge", "into");
    return new Plan.Authoritative(
        new StatementFacts(Command.COPY, writes, List.of(), List.of("no declared table is named")),
        input.authoritativeShard());
  }

  Plan plan() {
    if (copy.query().isPresent()) {
      return query();
    }
    if (copy.table().size() > 2) {
      throw ErrorCode.SQL_UNREADABLE.because("the router cannot read a name of three parts");
    }
    Relation relation = input.names().find(copy.table());
    if (relation instanceof Relation.Internal) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("a relation of schema pgconcord is named");
    } else if (relation instanceof Relation.Misplaced hidden) {
      throw Refusals.misplaced(hidden.table());
    }
    requireKnownFunctions();
    if (relation instanceof Relation.Undeclared undeclared) {
      if (!(undeclared.placement() instanceof Placement.Unsharded one)) {
        throw ErrorCode.SCHEMA_NOT_READ.because("undeclared tables are spread here by a default");
      }
      return new Plan.Unsharded(facts(List.of()), one.shard());
    }
    return declared(((Relation.Declared) relation).table());
  }

  private Plan declared(DeclaredTable table) {
    return table
        .placement()
        .match(
            new Placement.Cases<>() {
              @Override
              public Plan sharded(Placement.Sharded placement) {
                return copy.into() ? split(table) : gathered(table, placement);
              }

              @Override
              public Plan unsharded(Placement.Unsharded placement) {
                return new Plan.Unsharded(facts(List.of(table.name())), placement.shard());
              }

              @Override
              public Plan reference(Placement.Reference placement) {
                return copies(table, placement.shards().stream().sorted().toList());
              }

              @Override
              public Plan lookup(Placement.Lookup placement) {
                throw ErrorCode.TABLE_GSI_LOOKUP.because(
                    "%s is the lookup table of index %s".formatted(table.name(), placement.gsi()));
              }
            });
  }

  /** Options and column lists look like calls; the query and the condition have the real ones. */
  private void requireKnownFunctions() {
    copy.query()
        .or(copy::where)
        .ifPresent(
            range ->
                new CodeRules(
                        input.withCalls(
                            UserCodeUses.calls(
                                input.tokens().range(range.from(), range.to()),
                                input.names().userCode())))
                    .onShard(Optional.empty()));
  }

  private StatementFacts facts(List<TableName> tables) {
    return new StatementFacts(Command.COPY, copy.into(), tables, List.of());
  }

  private Plan copies(DeclaredTable table, List<ShardId> shards) {
    if (shards.size() == 1) {
      return new Plan.Unsharded(facts(List.of(table.name())), shards.get(0));
    } else if (copy.into()) {
      return intoCopies(table, shards);
    }
    return new Plan.AnyCopy(
        new StatementFacts(
            Command.COPY,
            false,
            List.of(table.name()),
            List.of(),
            StaleCopies.of(input, Set.of(table))),
        shards);
  }

  // --- into a sharded table --------------------------------------------------------------------

  private Plan split(DeclaredTable table) {
    DeclaredTable.ShardKey key = table.shardKey().orElseThrow(() -> notRead(table));
    TableSchema schema = table.schema().orElseThrow(() -> notRead(table));
    List<Gsi> maintained =
        input.database().gsisOf(table.name()).stream()
            .filter(g -> input.context().state().status(g.name()).state().maintained())
            .toList();
    maintained.stream()
        .filter(gsi -> !gsi.extended())
        .findFirst()
        .ifPresent(
            strict -> {
              throw ErrorCode.WRITE_COPY_INDEXED.because(
                  "COPY into %s, the owner of index %s".formatted(table.name(), strict.name()));
            });
    List<Referrer> references = new ReferrerRules(input, table).checked();
    CopyOptions options = new CopyOptions(copy);
    options.requireSplittable();
    List<String> columns = columns(schema);
    List<NumberedColumn> numbered = numbered(table, columns, options.format());
    new DifferingShards(input).refuseCopy(table, columns);
    List<Integer> places = new ArrayList<>();
    for (var column : key.columns()) {
      int place = columns.indexOf(column.name());
      if (place < 0) {
        throw ErrorCode.WRITE_NO_SHARD_KEY.because(
            "the COPY gives no value for shard-key column \"%s\" of table %s"
                .formatted(column.name(), table.name()));
      }
      places.add(place);
    }
    CopyTarget target = new CopyTarget(table.name(), key, columns, places, options.format());
    return EntryColumns.work(input, RowInserts.ALIAS, table, maintained, references)
        .or(() -> numbered.isEmpty() ? Optional.empty() : Optional.of(EntryWork.NONE))
        .<Plan>map(
            entries ->
                byInsert(
                    schema,
                    columns,
                    numbered,
                    entries.edit().text(),
                    entries.columns().size(),
                    new CopyInto.Owner(key.placement().group(), target, entries)))
        .orElseGet(
            () ->
                new Plan.CopyFrom(
                    facts(List.of(table.name())), key.placement().group(), target, sql(columns)));
  }

  // --- where rows must be known as they were stored --------------------------------------------

  private Plan byInsert(
      TableSchema schema,
      List<String> columns,
      List<NumberedColumn> numbered,
      String returning,
      int returned,
      CopyInto into) {
    CopyOptions options = new CopyOptions(copy);
    options.requireInsertable(schema, columns);
    return new Plan.CopyByInsert(
        facts(List.of(schema.name())),
        new RowInserts(schema.name(), columns, numbered, returning, returned),
        options.format(),
        sql(columns),
        into);
  }

  private Plan intoCopies(DeclaredTable table, List<ShardId> shards) {
    TableSchema schema = CopyWrites.writable(table);
    if (input.context().fixedSnapshot()) {
      throw Plan.CopyWrite.needsReadCommitted();
    }
    new CopyOptions(copy).requireSplittable();
    List<String> columns = columns(schema);
    CopyWork work =
        new CopyColumns(table.name(), schema)
            .insert(RowInserts.ALIAS, false, input.tokens().size(), columns);
    return byInsert(
        schema,
        columns,
        List.of(),
        work.edits().get(0).text(),
        work.added(),
        new CopyInto.Copies(
            new CopiedTable(input.context().database(), table.name()),
            shards.get(0),
            shards.subList(1, shards.size()),
            work));
  }

  /** The columns that are left to sequences; where a value may ask for its default that is one. */
  private List<NumberedColumn> numbered(
      DeclaredTable table, List<String> columns, CopyFormat format) {
    List<NumberedColumn> numbered = new ArrayList<>();
    for (Column column : NumberRules.numbered(table)) {
      if (!columns.contains(column.name())) {
        numbered.add(
            new NumberedColumn(
                column.name(),
                NumberRules.sequence(input, table, column),
                column.numbering().orElseThrow().always()));
      } else if (format.defaultText().isPresent()) {
        throw ErrorCode.WRITE_NUMBER.because(
            "a COPY with DEFAULT may leave column \"%s\" of %s to its sequence"
                .formatted(column.name(), table.name()));
      }
    }
    return numbered;
  }

  private RuntimeException notRead(DeclaredTable table) {
    return ErrorCode.SCHEMA_NOT_READ.because(
        "table %s is not on the shards as declared".formatted(table.name()));
  }

  /** Without a list those that are not generated, in the table's own order. */
  private List<String> columns(TableSchema schema) {
    List<String> columns =
        copy.columns().isEmpty()
            ? schema.columns().stream().filter(c -> !c.generated()).map(Column::name).toList()
            : copy.columns();
    if (new HashSet<>(columns).size() < columns.size()) {
      throw ErrorCode.SQL_COPY.because("a column is named twice in the COPY");
    }
    return columns;
  }

  /** The client's text with the columns named, which may stand in another order on each shard. */
  private String sql(List<String> columns) {
    if (!copy.columns().isEmpty()) {
      return input.text().sql();
    }
    String list =
        columns.stream().map(Identifiers::quote).collect(Collectors.joining(", ", " (", ")"));
    return SqlEdit.apply(input.text(), List.of(new SqlEdit(copy.tableEnd(), list)));
  }

  // --- out of shards ---------------------------------------------------------------------------

  private Plan gathered(DeclaredTable table, Placement.Sharded placement) {
    TableSchema schema = table.schema().orElseThrow(() -> notRead(table));
    List<ShardId> shards = placement.group().shards();
    CopyOptions options = new CopyOptions(copy);
    return new Plan.CopyTo(
        facts(List.of(table.name())),
        shards,
        sql(columns(schema)),
        options.format(),
        Optional.empty());
  }

  private Plan query() {
    Clauses.Range range = copy.query().orElseThrow();
    String inner =
        input
            .text()
            .sql()
            .substring(input.tokens().start(range.from()), input.tokens().end(range.to() - 1));
    StatementText text = new StatementText(inner, Lexer.scan(inner));
    return routed(planner.plan(text, input.context()).plan(), text);
  }

  /** The query's own route, which no parameter can change. */
  private Plan routed(Plan plan, StatementText text) {
    if (plan instanceof Plan.OneShard one) {
      Resolution where = one.binding().resolve(text, Parameters.NONE);
      return where instanceof Resolution.One shard
          ? new Plan.Unsharded(facts(one.facts()), shard.shard())
          : routed(one.otherwise(), text);
    } else if (plan instanceof Plan.AnyCopy any) {
      return new Plan.AnyCopy(facts(any.facts()), any.shards());
    } else if (plan instanceof Plan.Unsharded one) {
      return new Plan.Unsharded(facts(one.facts()), one.shard());
    } else if (plan instanceof Plan.Authoritative one) {
      return new Plan.Authoritative(facts(one.facts()), one.shard());
    } else if (plan instanceof Plan.GsiRead read) {
      return routed(read.otherwise(), text);
    } else if (plan.facts().locks()) {
      throw ErrorCode.QUERY_LOCKING.because("COPY of rows that are locked on several shards");
    } else if (plan instanceof Plan.Scatter scatter) {
      return new Plan.CopyTo(
          facts(scatter.facts()),
          scatter.shards(text, Parameters.NONE),
          input.text().sql(),
          new CopyOptions(copy).format(),
          Optional.of(text.sql()));
    } else if (plan instanceof Plan.Refused) {
      return plan;
    } else if (plan instanceof Plan.Gather gather && !gather.facts().mayWrite()) {
      return finished(gather, gather.finishers().get(0), text);
    } else if (plan instanceof Plan.Sorted sorted) {
      return finished(sorted, sorted.rows().group().shards().get(0), text);
    }
    throw ErrorCode.SQL_COPY.because(
        "COPY of a query that is not on one shard alone and no plain scatter, or of a write");
  }

  private Plan finished(Plan query, ShardId judge, StatementText text) {
    CopyOptions options = new CopyOptions(copy);
    return new Plan.CopyQuery(
        new StatementFacts(
            Command.COPY, false, query.facts().tables(), List.of(), query.facts().stale()),
        query,
        text.sql(),
        none(),
        judge,
        options.format(),
        options.forceQuote());
  }

  /** The client's text with none of the query's rows. */
  private String none() {
    Clauses.Range range = copy.query().orElseThrow();
    return SqlEdit.apply(
        input.text(),
        List.of(
            new SqlEdit(range.from(), "SELECT * FROM ("), new SqlEdit(range.to(), ") q LIMIT 0")));
  }

  private static StatementFacts facts(StatementFacts query) {
    return new StatementFacts(
        Command.COPY, query.mayWrite(), query.tables(), query.why(), query.stale(), query.locks());
  }
}
