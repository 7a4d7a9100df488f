package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.wire.RowDescription;

/**
 * What a session knows of its role's rights on owners of covering indexes, and of the rows that
 * their statements return. An owner shard is asked, as the client's role; the answer holds for a
 * second, and only under the same role and settings. So a right that was just taken away can be
 * used for as long.
 */
final class CoveringRights {
  private static final Duration HOLDS = Duration.ofSeconds(1);
  private static final int MOST = 256;

  /**
   * @param allowed the role may read the entry's columns of every owner row
   * @param description what an owner shard says of the statement's rows; null when it did not
   *     matter
   */
  record Verdict(boolean allowed, @Nullable RowDescription description) {}

  private record Known(Verdict verdict, long settings, long until) {}

  private final IdentityHashMap<Plan.GsiRead, Known> known = new IdentityHashMap<>();

  /** The verdict, asked for when it is not known. */
  CompletableFuture<Verdict> of(Execution execution, Plan.GsiRead plan) {
    long settings = execution.session().settings().version();
    Known before = known.get(plan);
    if (before != null
        && before.settings() == settings
        && System.nanoTime() - before.until() < 0
        && (before.verdict().description() != null || !execution.describes())) {
      return CompletableFuture.completedFuture(before.verdict());
    }
    return execution
        .tx()
        .backend(plan.lookup().anyOwnerShard())
        .thenCompose(backend -> ask(execution, plan, backend))
        .thenApply(
            verdict -> {
              if (known.size() >= MOST) {
                known.clear();
              }
              known.put(plan, new Known(verdict, settings, System.nanoTime() + HOLDS.toNanos()));
              return verdict;
            });
  }

  private static CompletableFuture<Verdict> ask(
      Execution execution, Plan.GsiRead plan, BackendConnection backend) {
    CompletableFuture<Boolean> allowed =
        backend
            .query(question(plan.lookup().index()), List.of())
            .thenApply(
                result -> !result.rows().isEmpty() && "t".equals(result.rows().get(0).get(0)));
    if (!execution.describes()) {
      return allowed.thenApply(may -> new Verdict(may, null));
    }
    return allowed.thenCombine(
        DescribedStatement.ask(backend, execution.sql(), execution.declaredTypes()),
        (may, described) -> new Verdict(may, described.rows()));
  }

  private static String question(LookupIndex index) {
    String columns =
        index.columns().stream()
            .map(IndexColumn::name)
            .map(Identifiers::literal)
            .collect(Collectors.joining(", "));
    return ("SELECT NOT pg_catalog.row_security_active(c.oid)"
            + " AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')"
            + " AND (SELECT pg_catalog.bool_and(pg_catalog.has_column_privilege("
            + "c.oid, a.attnum, 'SELECT')) FROM pg_catalog.pg_attribute a"
            + " WHERE a.attrelid = c.oid AND a.attname::pg_catalog.text"
            + " OPERATOR(pg_catalog.=) ANY (ARRAY[%s]))"
            + " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
            + " ON n.oid OPERATOR(pg_catalog.=) c.relnamespace WHERE c.relname::pg_catalog.text"
            + " OPERATOR(pg_catalog.=) %s AND n.nspname::pg_catalog.text OPERATOR(pg_catalog.=) %s")
        .formatted(
            columns,
            Identifiers.literal(index.owner().name().name()),
            Identifiers.literal(index.owner().name().schema()));
  }
}
