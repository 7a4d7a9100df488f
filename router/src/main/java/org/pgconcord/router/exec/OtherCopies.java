package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.plan.CopyWork;
import org.pgconcord.router.tx.Failures;

/**
 * What one statement has changed on the leading copy of a reference table, carried to the other
 * copies (docs/decisions/0008): the rows by value, and what each copy says that it changed compared
 * with what the leader said.
 */
final class OtherCopies {
  private static final String UNIQUE_VIOLATION = "23505";

  private final Execution execution;
  private final CopiedTable table;
  private final ShardId leader;
  private final List<ShardId> others;
  private final CopyWork work;
  private final List<StringBuilder> arrays = new ArrayList<>();
  private final List<String> images = new ArrayList<>();

  OtherCopies(
      Execution execution, CopiedTable table, ShardId leader, List<ShardId> others, CopyWork work) {
    this.execution = execution;
    this.table = table;
    this.leader = leader;
    this.others = others;
    this.work = work;
    for (int i = 0; i < work.values(); i++) {
      arrays.add(new StringBuilder("{"));
    }
  }

  /**
   * The table's lock on the leader, before anything else there. It waits no longer than the
   * router's limit; the session's own is put back.
   */
  static CompletableFuture<QueryResult> lock(
      Execution execution, CopiedTable table, BackendConnection leader) {
    return leader.query(
        "SELECT pg_catalog.set_config('lock_timeout', '%d', true),"
                .formatted(execution.session().serviceSessions().lockTimeout().toMillis())
            + " pg_catalog.pg_advisory_xact_lock(%d),"
                .formatted(LeaderLock.of(table.database(), table.table()))
            + " pg_catalog.set_config('lock_timeout', s.old, true) FROM (SELECT"
            + " pg_catalog.current_setting('lock_timeout') AS old OFFSET 0) s",
        List.of());
  }

  /** A row that the leader has changed: its values, and behind them its image. */
  void collect(List<@Nullable String> row) {
    for (int i = 0; i < work.values(); i++) {
      StringBuilder array = arrays.get(i);
      if (array.length() > 1) {
        array.append(',');
      }
      ArrayText.append(array, row.get(i));
    }
    images.add(String.valueOf(row.get(work.values())));
  }

  /** How many rows the leader has changed. */
  int rows() {
    return images.size();
  }

  /** Changes the other copies, once; fails, with the copy marked, when one is not as the leader. */
  CompletableFuture<Void> change() {
    if (images.isEmpty()) {
      return done();
    }
    List<@Nullable String> parameters =
        new ArrayList<>(arrays.stream().map(a -> a.append('}').toString()).toList());
    Collections.sort(images);
    List<BackendConnection> copies = new ArrayList<>();
    CompletableFuture<Void> enlisted = done();
    for (ShardId shard : others) {
      enlisted =
          enlisted.thenCompose(before -> execution.tx().backend(shard)).thenAccept(copies::add);
    }
    return enlisted.thenCompose(
        all ->
            CompletableFuture.allOf(
                copies.stream()
                    .map(copy -> change(copy, parameters))
                    .toArray(CompletableFuture<?>[]::new)));
  }

  private CompletableFuture<Void> change(
      BackendConnection copy, List<@Nullable String> parameters) {
    return copy.query(work.change(), parameters)
        .thenCompose(answer -> compare(copy, answer))
        .handle((done, failure) -> failure)
        .thenCompose(failure -> failure == null ? done() : refused(copy, failure));
  }

  private CompletableFuture<Void> compare(BackendConnection copy, QueryResult answer) {
    List<String> theirs =
        answer.rows().stream().map(row -> String.valueOf(row.get(0))).sorted().toList();
    return theirs.equals(images)
        ? done()
        : differs(
            copy,
            "%d rows on the leader %s, %d on this copy, and not all of them alike"
                .formatted(images.size(), leader, theirs.size()),
            null);
  }

  /** A row that the leader does not have stands in the way: the copies differ as well. */
  private CompletableFuture<Void> refused(BackendConnection copy, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    boolean inTheWay =
        cause instanceof ShardErrorException error
            && error.fields().sqlState().equals(UNIQUE_VIOLATION);
    return inTheWay
        ? differs(copy, "the leader took the rows, this copy did not", cause)
        : CompletableFuture.failedFuture(cause);
  }

  private CompletableFuture<Void> differs(
      BackendConnection copy, String how, @Nullable Throwable cause) {
    ConcordException error =
        ErrorCode.COPIES_DIFFER
            .because(
                "the copy of %s on shard %s has other rows than the leader"
                    .formatted(table.table(), copy.shard()))
            .withDetail(how);
    ConcordException told = cause == null ? error : error.withCause(cause);
    return execution
        .tx()
        .markCopies(table, Set.of(copy.shard()), "a write met other rows than on the leader")
        .thenCompose(marked -> CompletableFuture.failedFuture(told));
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
