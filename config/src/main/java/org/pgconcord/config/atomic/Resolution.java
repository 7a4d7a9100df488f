package org.pgconcord.config.atomic;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What has to be done next about a transaction that its router did not end. Pure; asked again after
 * each step, with a new look at the shards.
 *
 * <p>Three rules hold in every answer. A participant is ended only as a stored decision says. No
 * participant is committed while one that comes before it ({@link CommitOrder}) is prepared, or may
 * be: a shard that did not answer may hold it. And a transaction is finished only when every
 * participant's shard has said that it holds none of it.
 *
 * <p>The catalog must have been read <i>before</i> the shards. Every participant was prepared
 * before {@code commit} was stored, so one that is not there afterwards has been committed.
 */
public final class Resolution {
  private Resolution() {}

  /**
   * How long a living router is left alone.
   *
   * @param undecided since it registered the transaction
   * @param decided since its decision was stored
   * @param kept how long a finished transaction stays in the catalog
   */
  public record Limits(Duration undecided, Duration decided, Duration kept) {
    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofHours(1));

    /** Settles at once, whoever is alive. */
    public Limits now() {
      return new Limits(Duration.ZERO, Duration.ZERO, kept);
    }
  }

  /** The next step. */
  public sealed interface Step {
    <R> R match(Cases<R> cases);
  }

  /** What each step asks for. */
  public interface Cases<R> {
    /** Nothing: its router is at it, or all is done. */
    R rest();

    /** Insert {@code abort}, then read who has decided how. */
    R decideAbort();

    /** End these participants as decided, then ask again. */
    R end(Decision decision, List<Participant> participants);

    /** Nothing can be done until these participants' shards answer. */
    R await(List<Participant> silent);

    /** Note that it has ended. */
    R finish();

    /** Remove it from the catalog. */
    R forget();
  }

  private record Rest() implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.rest();
    }
  }

  private record DecideAbort() implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.decideAbort();
    }
  }

  private record End(Decision decision, List<Participant> participants) implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.end(decision, participants);
    }
  }

  private record Await(List<Participant> silent) implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.await(silent);
    }
  }

  private record Finish() implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.finish();
    }
  }

  private record Forget() implements Step {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.forget();
    }
  }

  /** The next step about a transaction, after a look at the shards that came after its reading. */
  public static Step next(AtomicTransaction transaction, Sight sight, Limits limits) {
    Optional<AtomicTransaction.Decided> decided = transaction.decided();
    if (decided.isEmpty()) {
      return left(transaction, transaction.age(), limits.undecided())
          ? new Rest()
          : new DecideAbort();
    }
    if (transaction.finished().isEmpty()
        && left(transaction, decided.get().age(), limits.decided())) {
      return new Rest();
    }
    Optional<Step> ending =
        decided.get().decision() == Decision.COMMIT
            ? commit(transaction, sight)
            : end(Decision.ABORT, transaction.participants(), sight);
    return ending.orElseGet(() -> ended(transaction, limits));
  }

  /** True while the transaction is its router's business alone. */
  private static boolean left(AtomicTransaction transaction, Duration age, Duration limit) {
    return transaction.routerAlive() && age.compareTo(limit) < 0;
  }

  private static Optional<Step> commit(AtomicTransaction transaction, Sight sight) {
    for (List<Participant> group : CommitOrder.of(transaction.participants())) {
      Optional<Step> step = end(Decision.COMMIT, group, sight);
      if (step.isPresent()) {
        return step;
      }
    }
    return Optional.empty();
  }

  /** Empty when none of the participants is there any more. */
  private static Optional<Step> end(
      Decision decision, List<Participant> participants, Sight sight) {
    List<Participant> prepared =
        participants.stream().filter(p -> sight.prepared(p).isPresent()).toList();
    if (!prepared.isEmpty()) {
      return Optional.of(new End(decision, prepared));
    }
    List<Participant> silent =
        participants.stream().filter(p -> !sight.answered(p.shard())).toList();
    return silent.isEmpty() ? Optional.empty() : Optional.of(new Await(silent));
  }

  private static Step ended(AtomicTransaction transaction, Limits limits) {
    if (transaction.finished().isEmpty()) {
      return new Finish();
    }
    return transaction.finished().get().compareTo(limits.kept()) < 0 ? new Rest() : new Forget();
  }
}
