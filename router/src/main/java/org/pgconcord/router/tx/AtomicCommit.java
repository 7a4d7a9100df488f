package org.pgconcord.router.tx;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;
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
 *   <li>COMMIT PREPARED of all PRE, then of all MAIN, then of all POST. Where an answer is missing
 *       this class goes no further: the resolver does, in the same order.
 *   <li>The client hears of success after the last POST, or when the resolver has been asked for
 *       the rest; it is decided then, whatever dies.
 * </ul>
 *
 * <p>What the client is told after a failure: before the decision, that failure; when another has
 * decided to abort, {@code tx/rolled-back}; when neither the decision's insert nor a reading of it
 * was answered, {@code tx/outcome-unknown}.
 */
final class AtomicCommit implements CommitSteps {
  private static final Logger LOG = LoggerFactory.getLogger(AtomicCommit.class);
  private static final long HAND_OVER_SECONDS = 10;
  private static final String UNDEFINED_OBJECT = "42704";

  /** What is committed. */
  record Work(
      Collection<BackendConnection> readers,
      Map<ShardId, BackendConnection> mains,
      @Nullable EntryTransaction entries) {}

  private enum State {
    OPEN,
    PREPARED,
    /** The answer to PREPARE was lost. */
    LOST,
    ENDED
  }

  private static final class Member {
    private final Participant participant;
    private final BackendConnection backend;
    private State state = State.OPEN;

    private Member(Participant participant, BackendConnection backend) {
      this.participant = participant;
      this.backend = backend;
    }

    private String quoted() {
      return Identifiers.literal(participant.gid().toString());
    }
  }

  private final Work work;
  private final TwoPhase twoPhase;
  private final TransactionMetrics metrics;
  private final String id;
  private final List<Member> members = new ArrayList<>();
  private boolean registered;

  AtomicCommit(Work work, TwoPhase twoPhase, TransactionMetrics metrics) {
    this.work = work;
    this.twoPhase = twoPhase;
    this.metrics = metrics;
    this.id = twoPhase.decisions().newTransaction();
  }

  @Override
  public boolean underWay() {
    return registered;
  }

  /** None differs. */
  @Override
  public Outcomes outcomes() {
    return new Outcomes(List.of());
  }

  @Override
  public List<BackendConnection> committed() {
    return members.stream()
        .filter(m -> m.state != State.OPEN && m.participant.part() == Part.MAIN)
        .map(m -> m.backend)
        .toList();
  }

  @Override
  public CompletableFuture<Void> run() {
    return commitReaders()
        .thenCompose(before -> secure())
        .thenCompose(before -> gather())
        .thenCompose(before -> register())
        .thenCompose(before -> prepare())
        .handle((done, failure) -> failure)
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
    return all(work.readers(), reader -> tagged(reader, "COMMIT", "COMMIT"));
  }

  private CompletableFuture<Void> secure() {
    return work.entries() == null ? done() : work.entries().secureForPrepare(work.mains());
  }

  private CompletableFuture<Void> gather() {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    if (work.entries() != null) {
      work.entries().preBackends().forEach(pre -> asked.add(gather(Part.PRE, pre)));
    }
    work.mains().values().forEach(main -> asked.add(gather(Part.MAIN, main)));
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
              members.add(new Member(new Participant(gid, twoPhase.database(), role), backend));
            });
  }

  private CompletableFuture<Void> register() {
    List<Participant> participants = members.stream().map(m -> m.participant).toList();
    return twoPhase
        .decisions()
        .register(id, participants, twoPhase.loop())
        .thenRun(() -> registered = true);
  }

  // --- the first phase -------------------------------------------------------------------------

  /** Waits for all answers, also after a failure: what is prepared must be known. */
  private CompletableFuture<Void> prepare() {
    return all(members, this::prepare);
  }

  private CompletableFuture<Void> prepare(Member member) {
    if (!member.backend.open()) {
      return CompletableFuture.failedFuture(notPrepared(member));
    }
    String prepare = "PREPARE TRANSACTION ";
    return tagged(member.backend, prepare + member.quoted(), "PREPARE TRANSACTION")
        .whenComplete(
            (prepared, failure) -> {
              if (failure == null) {
                member.state = State.PREPARED;
              } else if (!answered(Failures.cause(failure))) {
                member.state = State.LOST;
              }
            });
  }

  private static ConcordException notPrepared(Member member) {
    return ErrorCode.TX_ROLLED_BACK.because(
        "the connection to shard "
            + member.participant.shard()
            + " ended before the transaction was prepared");
  }

  // --- the decision ----------------------------------------------------------------------------

  private CompletableFuture<Void> decide() {
    return after(
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

  private CompletableFuture<Void> commitParts() {
    CompletableFuture<Void> all = done();
    for (Part part : Part.values()) {
      all = all.thenCompose(before -> commitPart(part));
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

  private CompletableFuture<Void> commitPart(Part part) {
    return all(
        members.stream().filter(m -> m.participant.part() == part).toList(),
        member -> end(member, "COMMIT PREPARED"));
  }

  /** One that does not exist has been ended by others, who follow the same decision. */
  private static CompletableFuture<Void> end(Member member, String command) {
    if (member.state != State.PREPARED || !member.backend.open()) {
      return CompletableFuture.failedFuture(
          ErrorCode.SHARD_CONNECTION_LOST.because(
              "no connection to shard " + member.participant.shard()));
    }
    return after(
        tagged(member.backend, command + " " + member.quoted(), command),
        (ended, failure) -> {
          if (failure == null || absent(Failures.cause(failure))) {
            member.state = State.ENDED;
            return done();
          }
          return CompletableFuture.failedFuture(failure);
        });
  }

  private static boolean absent(Throwable cause) {
    return cause instanceof ShardErrorException error
        && error.fields().sqlState().equals(UNDEFINED_OBJECT);
  }

  /** It is committed; others make it visible. */
  private CompletableFuture<Void> handOver(Throwable cause) {
    LOG.warn("the resolver commits a transaction transaction={} cause={}", id, cause.toString());
    return twoPhase
        .decisions()
        .handOver(id, twoPhase.loop())
        .completeOnTimeout(false, HAND_OVER_SECONDS, TimeUnit.SECONDS)
        .handleAsync(
            (ended, failure) -> {
              if (failure != null || !ended) {
                LOG.warn(
                    "a committed transaction is not visible everywhere yet transaction={}", id);
              }
              return null;
            },
            twoPhase.loop());
  }

  // --- the way back ----------------------------------------------------------------------------

  private CompletableFuture<Void> abort(Throwable reason) {
    return after(
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
    return answered(reason)
        ? reason
        : ErrorCode.TX_ROLLED_BACK
            .because("a shard did not answer while the transaction was prepared")
            .withDetail(String.valueOf(reason.getMessage()))
            .withCause(reason);
  }

  /** Never fails: what is left is the resolver's. */
  private CompletableFuture<Void> rollBackPrepared() {
    List<Member> prepared = members.stream().filter(m -> m.state == State.PREPARED).toList();
    boolean lost = members.stream().anyMatch(m -> m.state == State.LOST);
    return all(prepared, member -> end(member, "ROLLBACK PREPARED"))
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

  /** The shard itself has said that it did not do it. A FATAL may come after the deed. */
  private static boolean answered(Throwable cause) {
    return (cause instanceof ShardErrorException error && !error.fields().fatal())
        || Failures.isCode(cause, ErrorCode.TX_ROLLED_BACK);
  }

  /** PREPARE of a transaction that has failed on the server is answered ROLLBACK, without error. */
  private static CompletableFuture<Void> tagged(
      BackendConnection backend, String sql, String wanted) {
    return backend.query(sql, List.of()).thenAccept(result -> require(backend, result, wanted));
  }

  private static void require(BackendConnection backend, QueryResult result, String wanted) {
    if (!result.tag().equals(wanted)) {
      throw ErrorCode.TX_ROLLED_BACK.because(
          "shard " + backend.shard() + " rolled the transaction back");
    }
  }

  private static <T> CompletableFuture<Void> all(
      Collection<T> each, Function<T, CompletableFuture<Void>> work) {
    return CompletableFuture.allOf(each.stream().map(work).toArray(CompletableFuture<?>[]::new));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the inner future is the answer
  private static <T> CompletableFuture<Void> after(
      CompletableFuture<T> first,
      BiFunction<@Nullable T, @Nullable Throwable, CompletableFuture<Void>> next) {
    return first.handle(next).thenCompose(Function.identity());
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
