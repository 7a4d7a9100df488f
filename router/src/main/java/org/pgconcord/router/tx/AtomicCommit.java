package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.CommitOrder;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.entries.EntryTransaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one transaction in two phases: all of it or nothing. docs/decisions/0009-atomic-commit.md
 * has the interleavings; this class keeps four rules of it.
 *
 * <ul>
 *   <li>All participants are registered before the first of them is prepared. So whoever comes
 *       later knows where to look, also when the answer to a PREPARE was lost.
 *   <li>Nothing prepared is ended before the decision is stored, not even a rollback of its own: an
 *       operator or the resolver may have decided otherwise. Only an insert that returned a row has
 *       decided; otherwise the row is read, and followed.
 *   <li>COMMIT PREPARED in {@link CommitOrder}: of all PRE, of all MAIN, of leaders of reference
 *       tables, of all POST. Where an answer is missing this class goes no further: the resolver
 *       does, in the same order.
 *   <li>The client hears of success after the last POST, whoever has committed it. Before that a
 *       row that has moved may still be found under its former key, on a server that was down
 *       meanwhile: who knew of the commit would read a wrong answer.
 * </ul>
 *
 * <p>What the client is told after a failure: before the decision, that failure; when another has
 * decided to abort, {@code tx/rolled-back}; when neither the decision's insert nor a reading of it
 * was answered, {@code tx/outcome-unknown}; when the resolver has not come to the end of it in the
 * time that a client is held ({@link HandOvers}), {@code tx/commit-pending}, naming the shards.
 */
final class AtomicCommit implements CommitSteps {
  private static final Logger LOG = LoggerFactory.getLogger(AtomicCommit.class);

  /**
   * What is committed.
   *
   * @param mains the client backends of the shards that were written, or have rows locked for it
   * @param leaders those of the mains whose locks must outlive the others: they keep writers from
   *     reference tables, or from rows that the client has locked
   */
  record Work(
      Collection<BackendConnection> readers,
      Map<ShardId, BackendConnection> mains,
      Set<ShardId> leaders,
      @Nullable EntryTransaction entries) {
    Part part(ShardId main) {
      return leaders.contains(main) ? Part.LEAD : Part.MAIN;
    }
  }

  private final Work work;
  private final TwoPhase twoPhase;
  private final TransactionMetrics metrics;
  private final Consumer<Duration> hurry;
  private final String id;
  private final List<PreparedMember> members = new ArrayList<>();
  private boolean registered;
  private boolean pending;

  /**
   * @param hurry from now on shards must answer within this
   */
  AtomicCommit(Work work, TwoPhase twoPhase, TransactionMetrics metrics, Consumer<Duration> hurry) {
    this.work = work;
    this.twoPhase = twoPhase;
    this.metrics = metrics;
    this.hurry = hurry;
    this.id = twoPhase.decisions().newTransaction();
  }

  @Override
  public boolean underWay() {
    return registered;
  }

  @Override
  public boolean pending() {
    return pending;
  }

  /** None differs. */
  @Override
  public Outcomes outcomes() {
    return new Outcomes(List.of());
  }

  @Override
  public List<BackendConnection> committed() {
    return members.stream()
        .filter(m -> m.left() && work.mains().containsValue(m.backend()))
        .map(PreparedMember::backend)
        .toList();
  }

  @Override
  public CompletableFuture<Void> run() {
    DeferredConstraints checked = DeferredConstraints.of(work.mains().values());
    return commitReaders()
        .thenCompose(before -> secure())
        .thenCompose(before -> gather())
        .thenCompose(before -> checked.done())
        .thenCompose(before -> register())
        .thenRun(() -> hurry.accept(ANY))
        .thenCompose(before -> prepare())
        .handle((done, failure) -> failure == null ? null : checked.first(failure))
        .thenCompose(
            failure -> {
              if (failure == null) {
                return decide();
              }
              return registered
                  ? abort(Failures.cause(failure))
                  : CompletableFuture.failedFuture(failure);
            });
  }

  // --- before the first phase ------------------------------------------------------------------

  private CompletableFuture<Void> commitReaders() {
    return all(work.readers(), reader -> PreparedMember.tagged(reader, "COMMIT", "COMMIT"));
  }

  private CompletableFuture<Void> secure() {
    return work.entries() == null ? done() : work.entries().secureForPrepare(work.mains());
  }

  private CompletableFuture<Void> gather() {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    if (work.entries() != null) {
      work.entries().preBackends().forEach(pre -> asked.add(gather(Part.PRE, pre)));
    }
    work.mains().forEach((shard, main) -> asked.add(gather(work.part(shard), main)));
    if (work.entries() != null) {
      work.entries().postBackends().forEach(post -> asked.add(gather(Part.POST, post)));
    }
    return all(asked, answer -> answer);
  }

  private CompletableFuture<Void> gather(Part part, BackendConnection backend) {
    return PrepareCheck.role(backend, twoPhase.decisions().serviceRole())
        .thenAccept(
            role -> {
              GlobalId gid = twoPhase.decisions().name(id, part, backend.shard());
              members.add(
                  new PreparedMember(new Participant(gid, twoPhase.database(), role), backend));
            });
  }

  private CompletableFuture<Void> register() {
    List<Participant> participants = members.stream().map(PreparedMember::participant).toList();
    return twoPhase
        .decisions()
        .register(id, participants, twoPhase.loop())
        .thenRun(() -> registered = true);
  }

  // --- the first phase -------------------------------------------------------------------------

  /** Waits for all answers, also after a failure: what is prepared must be known. */
  private CompletableFuture<Void> prepare() {
    return all(members, PreparedMember::prepare);
  }

  // --- the decision ----------------------------------------------------------------------------

  private CompletableFuture<Void> decide() {
    return PreparedMember.after(
        decided(Decision.COMMIT),
        (decision, failure) -> {
          if (failure != null) {
            return unknown(Failures.cause(failure));
          }
          return decision == Decision.COMMIT ? commitParts() : rolledBackByOthers();
        });
  }

  /** Inserts the decision; where that was not it, what the row says. */
  private CompletableFuture<Decision> decided(Decision wanted) {
    Decisions decisions = twoPhase.decisions();
    return decisions
        .decide(id, wanted, twoPhase.loop())
        .handle((mine, failure) -> failure == null && mine)
        .thenCompose(
            mine ->
                mine
                    ? CompletableFuture.completedFuture(wanted)
                    : decisions.settle(id, twoPhase.loop()));
  }

  private CompletableFuture<Void> unknown(Throwable cause) {
    metrics.outcomeUnknown();
    LOG.warn(
        "the outcome of a transaction is unknown transaction={} cause={}", id, cause.toString());
    return CompletableFuture.failedFuture(
        ErrorCode.TX_OUTCOME_UNKNOWN
            .because("the catalog did not say how the transaction was decided")
            .withDetail(
                "Transaction %s ends as a whole when the catalog answers again.".formatted(id))
            .withCause(cause));
  }

  private CompletableFuture<Void> rolledBackByOthers() {
    return rollBackPrepared()
        .thenCompose(
            done ->
                CompletableFuture.failedFuture(
                    ErrorCode.TX_ROLLED_BACK.because(
                        "transaction " + id + " was aborted before this router decided")));
  }

  // --- the second phase ------------------------------------------------------------------------

  /** To go no further here costs nothing: the resolver does. So nobody waits longer than that. */
  private CompletableFuture<Void> commitParts() {
    hurry.accept(HandOvers.HELD);
    Map<Participant, PreparedMember> byParticipant = new HashMap<>();
    members.forEach(member -> byParticipant.put(member.participant(), member));
    CompletableFuture<Void> all = done();
    for (List<Participant> group : CommitOrder.of(byParticipant.keySet())) {
      List<PreparedMember> next = group.stream().map(byParticipant::get).toList();
      all = all.thenCompose(before -> all(next, member -> member.end("COMMIT PREPARED")));
    }
    return all.handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                twoPhase.decisions().finished(id);
                return done();
              }
              return handOver(Failures.cause(failure));
            });
  }

  /** It is committed; others make it visible, and the client hears of it then. */
  private CompletableFuture<Void> handOver(Throwable cause) {
    LOG.warn("the resolver commits a transaction transaction={} cause={}", id, cause.toString());
    return PreparedMember.after(
        twoPhase.decisions().handOver(id, twoPhase.loop()),
        (rest, failure) ->
            rest != null && rest.ended() ? done() : notEverywhere(where(rest), cause));
  }

  /**
   * Where the resolver has met it last. If nobody could tell, the shards whose backends this router
   * has lost: the others wait for them.
   */
  private Set<ShardId> where(HandOvers.@Nullable Rest rest) {
    if (rest != null && !rest.shards().isEmpty()) {
      return new TreeSet<>(rest.shards());
    }
    Set<ShardId> lost = where(member -> !member.ended() && !member.backend().open());
    return lost.isEmpty() ? where(member -> !member.ended()) : lost;
  }

  private Set<ShardId> where(Predicate<PreparedMember> which) {
    return members.stream()
        .filter(which)
        .map(member -> member.participant().shard())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private CompletableFuture<Void> notEverywhere(Set<ShardId> where, Throwable cause) {
    pending = true;
    LOG.warn(
        "a committed transaction is not visible everywhere yet transaction={} shards={}",
        id,
        where);
    String shards = where.stream().map(ShardId::uid).collect(Collectors.joining(", "));
    return CompletableFuture.failedFuture(
        ErrorCode.TX_COMMIT_PENDING
            .because(
                "the transaction is decided: commit; not reached yet: shard %s".formatted(shards))
            .withDetail(
                "Transaction %s is committed on all its shards when %s has answered; until then reads may see what was before."
                    .formatted(id, shards))
            .withCause(cause));
  }

  // --- the way back ----------------------------------------------------------------------------

  private CompletableFuture<Void> abort(Throwable reason) {
    return PreparedMember.after(
        decided(Decision.ABORT),
        (decision, failure) -> {
          if (failure != null) {
            LOG.warn("an abort was not stored transaction={} cause={}", id, failure.toString());
            return CompletableFuture.failedFuture(told(reason));
          }
          return decision == Decision.COMMIT
              ? commitParts()
              : rollBackPrepared()
                  .thenCompose(done -> CompletableFuture.failedFuture(told(reason)));
        });
  }

  private static Throwable told(Throwable reason) {
    return PreparedMember.answered(reason)
        ? reason
        : ErrorCode.TX_ROLLED_BACK
            .because("a shard did not answer while the transaction was prepared")
            .withDetail(String.valueOf(reason.getMessage()))
            .withCause(reason);
  }

  /** Never fails: what is left is the resolver's. */
  private CompletableFuture<Void> rollBackPrepared() {
    List<PreparedMember> prepared = members.stream().filter(PreparedMember::prepared).toList();
    boolean lost = members.stream().anyMatch(PreparedMember::lost);
    return all(prepared, member -> member.end("ROLLBACK PREPARED"))
        .handle(
            (done, failure) -> {
              if (failure == null && !lost) {
                twoPhase.decisions().finished(id);
              } else {
                handOverLater();
              }
              return null;
            });
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the resolver comes by again
  private void handOverLater() {
    twoPhase.decisions().handOver(id, twoPhase.loop());
  }

  // --- tools -----------------------------------------------------------------------------------

  private static <T> CompletableFuture<Void> all(
      Collection<T> each, Function<T, CompletableFuture<Void>> work) {
    return CompletableFuture.allOf(each.stream().map(work).toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
