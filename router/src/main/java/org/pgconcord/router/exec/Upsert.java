package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.entries.Upserted;
import org.pgconcord.router.plan.ConflictRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.tx.Transaction;

/**
 * INSERT ... ON CONFLICT DO UPDATE that changes entries (docs/decisions/0022).
 *
 * <p><b>Invariant.</b> Of every row that the statement updates, the columns of its entries were
 * read under a lock that is held until the transaction ends; and the statement updates that very
 * version of the row.
 *
 * <p>The rows in the way are not known before the statement runs: a BEFORE trigger, a default or
 * another session may put one there. So they are guessed and the guess is proven. Each attempt
 * locks what VALUES and the attempts before it tell; the statement carries the places of those rows
 * in DO UPDATE's condition, and fails at any other row that it meets, before it updates it,
 * {@linkplain ConflictRows#guard naming its place}. The attempt is undone to its savepoint and made
 * again with that row locked too. PostgreSQL waits for whoever is writing a row in the way before
 * it asks the condition, so that what it names is committed, or this transaction's own, and the
 * next attempt sees it.
 *
 * <p>A row that keeps being met and cannot be locked (others keep changing it) ends the statement
 * with 40001.
 */
final class Upsert {
  /** How often rows may be met anew beside once for each row of VALUES. */
  private static final int ATTEMPTS = 5;

  private final Execution execution;
  private final Plan.Upsert plan;
  private final EntryWork work;
  private final StatementText text;
  private final List<RowSplit.Part> parts;
  private final InsertedParts inserted;
  private final String token = "pgconcord met " + UUID.randomUUID();
  private final Map<ShardId, LockedRows> locked = new LinkedHashMap<>();
  private final Map<ShardId, Set<ConflictRows.Place>> places = new LinkedHashMap<>();

  private Upsert(Execution execution, Plan.Upsert plan) {
    this.execution = execution;
    this.plan = plan;
    this.work = plan.entries();
    this.text = execution.planned().text();
    this.parts = plan.parts(text, execution.parameters());
    this.inserted = new InsertedParts(execution, work, plan.returns(), plan.whole(text));
  }

  static void run(Execution execution, Plan.Upsert plan) {
    if (execution.tx().scope() == Transaction.Scope.NONE
        && !plan.taken().indexes().isEmpty()
        && execution.session().settings().fixedSnapshot()) {
      throw Plan.InsertUnlessTaken.needsReadCommitted();
    }
    new Upsert(execution, plan).start();
  }

  private void start() {
    inserted.begin();
    int attempts = ATTEMPTS + plan.rows().rows().size();
    execution.then(
        attempt(attempts).thenCompose(done -> inserted.commitIfSingle()),
        done -> inserted.complete());
  }

  private CompletableFuture<Void> attempt(int left) {
    if (left == 0) {
      return CompletableFuture.failedFuture(
          ErrorCode.WRITE_ROW_APPEARED.because(
              "ON CONFLICT DO UPDATE keeps meeting a row that it could not lock before"));
    }
    return inserted
        .open(parts)
        .thenCompose(opened -> lock())
        .thenCompose(done -> inserted.answers(guarded(), this::isMet))
        .thenCompose(
            answers ->
                answers.isPresent()
                    ? secure(answers.get())
                    : inserted.undo().thenCompose(undone -> attempt(left - 1)));
  }

  // --- the rows in the way ---------------------------------------------------------------------

  private CompletableFuture<Void> lock() {
    locked.clear();
    if (plan.met().isEmpty()) {
      return InsertedParts.done();
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (RowSplit.Part part : parts) {
      BackendConnection main = inserted.main(part);
      LockedRows rows = new LockedRows(plan.met().get(), text, main);
      locked.put(part.shard(), rows);
      all.add(lock(part, rows, main, plan.met().get()));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenRun(
            () ->
                EntryTransaction.requireBounded(
                    locked.values().stream().mapToLong(LockedRows::size).sum()));
  }

  private CompletableFuture<Void> lock(
      RowSplit.Part part, LockedRows rows, BackendConnection main, ConflictRows met) {
    CompletableFuture<Void> all = InsertedParts.done();
    Optional<String> byValues = met.lock(text, part.rows());
    if (byValues.isPresent()) {
      all = main.query(inserted.query(byValues.get())).thenAccept(rows::add);
    }
    Set<ConflictRows.Place> known = places.getOrDefault(part.shard(), Set.of());
    if (!known.isEmpty()) {
      String sql = met.lock(LockedRows.condition(met, known));
      all = all.thenCompose(before -> main.query(sql, List.of())).thenAccept(rows::add);
    }
    return all;
  }

  private List<RowSplit.Part> guarded() {
    return parts.stream()
        .map(
            part -> {
              LockedRows rows = locked.get(part.shard());
              return plan.guarded(part, text, rows == null ? "" : rows.condition(), token);
            })
        .toList();
  }

  /** The guard of one of the parts has failed; where is noted. */
  private boolean isMet(Throwable failure) {
    if (!(failure instanceof ShardErrorException error)) {
      return false;
    }
    Optional<ConflictRows.Place> place = ConflictRows.met(error.fields().message(), token);
    place.ifPresent(
        met -> places.computeIfAbsent(error.shard(), s -> new LinkedHashSet<>()).add(met));
    return place.isPresent();
  }

  // --- entries ---------------------------------------------------------------------------------

  private CompletableFuture<Void> secure(List<PartAnswer> answers) {
    inserted.describedBy(answers);
    return upserted(answers)
        .thenCompose(rows -> rows.secure(execution.tx().entries(), inserted.mains()))
        .thenCompose(done -> inserted.check(answers))
        .thenCompose(
            held -> {
              inserted.keep(parts, answers);
              return inserted.close();
            });
  }

  /** What the statement has done to entries. */
  private CompletableFuture<Upserted> upserted(List<PartAnswer> answers) {
    List<ReturnedRows.Found> fresh = new ArrayList<>();
    List<ReturnedRows.Found> updated = new ArrayList<>();
    CompletableFuture<List<ReturnedRows.Found>> before =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int i = 0; i < parts.size(); i++) {
      ShardId shard = parts.get(i).shard();
      ReturnedRows stored = new ReturnedRows(shard, inserted.indexes(), work.columns());
      ReturnedRows changed = new ReturnedRows(shard, inserted.indexes(), work.columns());
      long count = 0;
      for (List<@Nullable String> row : answers.get(i).added()) {
        boolean isNew = work.changesEntries(row);
        (isNew ? stored : changed).add(row);
        count += isNew ? 0 : 1;
      }
      fresh.addAll(stored.found());
      updated.addAll(changed.found());
      LockedRows rows = locked.get(shard);
      if (rows != null) {
        before =
            before.thenCombine(
                rows.before(shard, inserted.indexes(), work, count),
                (all, more) -> {
                  all.addAll(more);
                  return all;
                });
      }
    }
    Set<GsiName> fixed = plan.met().map(ConflictRows::fixed).orElse(Set.of());
    return before.thenApply(
        old ->
            new Upserted(
                plan.met().isPresent() ? old : updated,
                updated,
                fresh,
                fixed,
                plan.taken().indexes()));
  }
}
