package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TablePlace;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * Plans a locking query with LIMIT over several shards: one that could be scattered without its
 * limit, whose order, if it has one, is one of plain columns, and whose tables have primary keys
 * that name a row in any session's words.
 */
final class FirstLockedPlanner {
  private static final String[] TAIL = {"order", "limit", "offset", "fetch", "for"};

  /** Types whose equal values are written alike, and read again as they are written. */
  private static final Set<KeyType> NAMED =
      Set.of(
          KeyType.INT, KeyType.TEXT, KeyType.UUID, KeyType.BYTEA, KeyType.DATE, KeyType.TIMESTAMP);

  private final PlanInput input;
  private final QueryView query;
  private final ReadFacts facts;
  private final Tokens tokens;
  private final Clauses clauses;

  FirstLockedPlanner(PlanInput input, QueryView query, ReadFacts facts) {
    this.input = input;
    this.query = query;
    this.facts = facts;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
  }

  /** Refuses by name what is not answered so. */
  FirstLocked plan(Plan.Scatter rows, List<String> why) {
    RowBound bound = RowBound.of(input);
    boolean sorted = clauses.topLevel(0, "order") < tokens.size();
    Optional<SortKeys.Found> keys =
        sorted ? SortKeys.ofLimited(input, query, facts) : Optional.empty();
    if (sorted && keys.isEmpty()) {
      throw refused(
          "The order is not one of plain columns whose order depends on nothing but their values.");
    }
    new ScatterRules(input, facts).checkFirstRows(why, sorted);
    return new FirstLocked(
        rows,
        bound,
        new Locking(input).waits(),
        keys.map(this::byKeys),
        without(0, tokens.size(), bound));
  }

  private static ConcordException refused(String detail) {
    return ErrorCode.QUERY_LOCKING
        .because("LIMIT beside FOR UPDATE or FOR SHARE over several shards")
        .withDetail(detail)
        .withHint("Add an equality on the shard key, or leave the limit out.");
  }

  // --- texts -----------------------------------------------------------------------------------

  private FirstLocked.ByKeys byKeys(SortKeys.Found keys) {
    List<FirstLocked.Part> identity = identity();
    String selected =
        IntStream.range(0, identity.size())
            .mapToObj(i -> identity.get(i).selected(i))
            .collect(Collectors.joining(", "));
    int from = keys.added().token();
    int end = clauses.topLevel(from, TAIL);
    TextTemplate look =
        new TextTemplate.Builder()
            .add("SELECT " + selected + keys.added().text() + " ")
            .add(new Clauses.Range(from, end))
            .add(keys.written())
            .build();
    TextTemplate.Builder head =
        new TextTemplate.Builder().add(new Clauses.Range(0, from)).add(", " + selected + " ");
    Optional<Clauses.Range> where = clauses.topLevelWhere();
    if (where.isPresent()) {
      head.add(new Clauses.Range(from, where.get().from()))
          .add(" (")
          .add(new Clauses.Range(where.get().from(), end))
          .add(") AND (");
    } else {
      head.add(new Clauses.Range(from, end)).add(" WHERE (");
    }
    TextTemplate tail =
        new TextTemplate.Builder()
            .add(") ")
            .add(without(end, tokens.size(), RowBound.of(input)))
            .build();
    return new FirstLocked.ByKeys(keys.keys(), identity, look, head.build(), tail);
  }

  /** The tokens without the clauses of the bound. */
  private static TextTemplate without(int from, int to, RowBound bound) {
    TextTemplate.Builder text = new TextTemplate.Builder();
    int begin = from;
    for (Clauses.Range clause : bound.clauses()) {
      text.add(new Clauses.Range(begin, clause.from())).add(" ");
      begin = clause.to();
    }
    return text.add(new Clauses.Range(begin, to)).build();
  }

  // --- identity --------------------------------------------------------------------------------

  private List<FirstLocked.Part> identity() {
    Subqueries subqueries = new Subqueries(input, facts);
    List<FirstLocked.Part> identity = new ArrayList<>();
    Stream.concat(facts.sharded().stream().map(TableUse::at), facts.copies().stream())
        .filter(table -> !subqueries.cover(table.place().token()))
        .forEach(table -> identity.addAll(key(table)));
    return identity;
  }

  private static List<FirstLocked.Part> key(TablePlace at) {
    TableSchema schema =
        at.table().schema().filter(s -> !s.primaryKey().isEmpty()).orElseThrow(() -> noKey(at));
    if (at.place().nullable() || at.place().renamed()) {
      throw refused(
          "Rows of %s can be missing in the join, or have other names there."
              .formatted(at.table().name()));
    }
    List<FirstLocked.Part> parts = new ArrayList<>();
    for (String name : schema.primaryKey()) {
      Column column =
          schema
              .column(name)
              .filter(c -> c.deterministic() && c.keyType().filter(NAMED::contains).isPresent())
              .orElseThrow(() -> noKey(at));
      parts.add(
          new FirstLocked.Part(
              Identifiers.quote(at.alias()) + "." + Identifiers.quote(name), column.base().type()));
    }
    return parts;
  }

  private static ConcordException noKey(TablePlace at) {
    return refused(
        "%s has no primary key of integers, texts, uuid, bytea, dates or timestamps without zone by which its rows are named."
            .formatted(at.table().name()));
  }
}
