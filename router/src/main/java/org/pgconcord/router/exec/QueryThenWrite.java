package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.FoundValues;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.QueryFirst;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.ClientPortal;
import org.pgconcord.router.session.ClientStatement;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * UPDATE or DELETE by a query that is answered first (docs/decisions/0034): one shard describes the
 * client's whole statement, so that what is wrong with it is told as by one server; the query runs,
 * in the statement's own transaction, so that what it locks stays locked; then the statement is
 * planned and run with the query's rows as values behind the client's own parameters, like any that
 * a client sends. Both, or nothing of them, are committed.
 */
final class QueryThenWrite {
  /** More would make a text that is not read. */
  private static final int VALUES_MOST = 20_000;

  /** Up to here a statement has one of few texts, however many rows there are. */
  private static final int REPEATED_MOST = 1_024;

  /** The first oid that is not PostgreSQL's own: it may be another on another shard. */
  private static final int FIRST_USER_OID = 16_384;

  /** name, text, bpchar, varchar, and arrays of them. */
  private static final Set<Integer> TEXTS = Set.of(19, 25, 1042, 1043, 1003, 1009, 1014, 1015);

  private final Execution execution;
  private final QueryFirst plan;
  private final Consumer<Execution> route;
  private ParameterTypes types = ParameterTypes.NONE;

  private QueryThenWrite(Execution execution, QueryFirst plan, Consumer<Execution> route) {
    this.execution = execution;
    this.plan = plan;
    this.route = route;
  }

  /**
   * Runs it.
   *
   * @param route runs the query, and the statement with its rows
   */
  static void run(Execution execution, QueryFirst plan, Consumer<Execution> route) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    QueryThenWrite write = new QueryThenWrite(execution, plan, route);
    execution.then(
        tx.backend(plan.describer())
            .thenCompose(
                shard -> DescribedStatement.ask(shard, execution.sql(), execution.declaredTypes())),
        described -> {
          if (execution.changed(described.rows()).isPresent()) {
            execution.fail(execution.changed(described.rows()).get());
          } else {
            write.types = described.types();
            write.fetch();
          }
        });
  }

  private void fetch() {
    String sql = plan.found().query(execution.planned().text());
    ClientPortal portal =
        new ClientPortal(
            "",
            new ClientStatement("", sql, types),
            execution.wireParameters().withResultFormats((short) 1),
            types);
    FetchedRows rows = new FetchedRows(execution.sink(), Gather.HELD_MOST);
    run(
        execution.query(
            new StatementCall.Execute(portal, true, 0),
            new Planned(plan.select(), new StatementText(sql, Lexer.scan(sql))),
            rows,
            () -> fetched(rows)));
  }

  private void run(Execution part) {
    try {
      route.accept(part);
    } catch (RuntimeException e) {
      part.fail(e);
    }
  }

  private void fetched(FetchedRows found) {
    if (found.failed()) {
      execution.done();
    } else if (plan.found().single() && found.rows().size() > 1) {
      execution.failPlain(
          "21000", "more than one row returned by a subquery used as an expression");
    } else {
      execution.then(
          CompletableFuture.completedFuture(found)
              .thenApply(
                  all -> {
                    all.requireBounded();
                    return all;
                  }),
          this::write);
    }
  }

  private void write(FetchedRows found) {
    List<RowDescription.Field> columns = found.description().fields();
    requireKnown(columns);
    requireNoCollation(columns);
    List<List<byte @Nullable []>> rows = rows(found);
    int before = Math.max(types.count(), execution.wireParameters().count());
    FoundValues values =
        new FoundValues(
            before,
            rows.size(),
            found.rows().isEmpty(),
            columns.stream().map(RowDescription.Field::name).toList());
    String sql = plan.found().with(execution.planned().text(), values);
    ClientPortal portal = portal(sql, before, columns, rows);
    StoredRows stored = new StoredRows(execution.sink());
    run(
        execution.query(
            new StatementCall.Execute(portal, execution.describes(), 0),
            execution.session().services().planner().plan(StatementText.one(sql), plan.context()),
            stored,
            () -> written(stored)));
  }

  /** A value of a type that is the users' own takes the type of what it is compared with. */
  private void requireKnown(List<RowDescription.Field> columns) {
    columns.stream()
        .filter(column -> plan.found().typed() && isUsers(column.typeOid()))
        .findFirst()
        .ifPresent(
            column -> {
              throw ErrorCode.WRITE_SEVERAL_SHARDS
                  .because(
                      "column \"%s\" of the query that runs first has a type that is not PostgreSQL's own"
                          .formatted(column.name()))
                  .withHint("Cast it to text, or leave it out.");
            });
  }

  /** How it is compared would be lost. */
  private void requireNoCollation(List<RowDescription.Field> columns) {
    columns.stream()
        .filter(c -> plan.collated() && (isUsers(c.typeOid()) || TEXTS.contains(c.typeOid())))
        .findFirst()
        .ifPresent(
            column -> {
              throw ErrorCode.WRITE_SEVERAL_SHARDS
                  .because(
                      "column \"%s\" of the query that runs first may have a collation of its own"
                          .formatted(column.name()))
                  .withHint("Fetch the rows by a query, and write them by their values.");
            });
  }

  private static boolean isUsers(int oid) {
    return oid >= FIRST_USER_OID || oid < 0;
  }

  /** As many as a text is made for: one of NULLs for none, the last one again where it may be. */
  private List<List<byte @Nullable []>> rows(FetchedRows found) {
    List<List<byte @Nullable []>> rows = new ArrayList<>(found.rows());
    int width = found.description().fields().size();
    if (rows.isEmpty()) {
      rows.add(Collections.nCopies(width, null));
    } else if ((long) rows.size() * width > VALUES_MOST) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "a query that names the rows of a write gives at most %d rows of %d columns"
              .formatted(VALUES_MOST / width, width));
    } else if (plan.found().repeats() && rows.size() <= REPEATED_MOST) {
      int size = Integer.highestOneBit(rows.size());
      int wanted = size == rows.size() ? size : size * 2;
      while (rows.size() < wanted) {
        rows.add(rows.get(rows.size() - 1));
      }
    }
    return rows;
  }

  private ClientPortal portal(
      String sql,
      int before,
      List<RowDescription.Field> columns,
      List<List<byte @Nullable []>> rows) {
    List<byte @Nullable []> values = new ArrayList<>();
    rows.forEach(values::addAll);
    int[] oids = new int[before + values.size()];
    for (int i = 0; i < before; i++) {
      oids[i] = types.oid(i);
    }
    for (int i = 0; i < values.size(); i++) {
      int oid = columns.get(i % columns.size()).typeOid();
      oids[before + i] = isUsers(oid) ? 0 : oid;
    }
    ParameterTypes all = new ParameterTypes(oids);
    Parameters bound =
        execution.wireParameters().and(values, Collections.nCopies(values.size(), true));
    return new ClientPortal("", new ClientStatement("", sql, all), bound, all);
  }

  private void written(StoredRows rows) {
    Optional<String> tag = rows.tag();
    if (tag.isEmpty()) {
      execution.done();
      return;
    }
    Transaction tx = execution.tx();
    execution.then(
        tx.scope() == Transaction.Scope.SINGLE
            ? tx.commit()
            : CompletableFuture.completedFuture(null),
        done -> {
          execution.sink().complete(tag.get());
          execution.done();
        });
  }
}
