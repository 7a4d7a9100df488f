package org.pgconcord.router.tx;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.PartialCommit;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * Where two-phase commits are remembered, as a session sees it. Nothing here blocks; each answer
 * comes on the loop that was passed.
 */
public interface Decisions {
  /** A router without memory, which refuses what needs two phases. */
  Decisions NONE = new NoDecisions();

  /** False when nothing can be committed in two phases. */
  boolean available();

  /** Shards that are known to take no prepared transactions. */
  Set<ShardId> refusing();

  /** The role that ends what this router leaves prepared. */
  String serviceRole();

  /** An id that no transaction has had. */
  String newTransaction();

  GlobalId name(String transaction, Part part, ShardId shard);

  /** Stores who takes part. */
  CompletableFuture<Void> register(String transaction, List<Participant> all, Executor loop);

  /** True when this call has decided. */
  CompletableFuture<Boolean> decide(String transaction, Decision decision, Executor loop);

  /** How it is decided, after {@link #decide} did not say or said that another has. */
  CompletableFuture<Decision> settle(String transaction, Executor loop);

  /** Every participant has ended. Not answered. */
  void finished(String transaction);

  /** Remembers how a transaction ended that was not committed in two phases. Not answered. */
  void ended(PartialCommit commit);

  /**
   * Lets others end it as it is decided, and waits for that, not for ever; what is left of it then.
   */
  CompletableFuture<HandOvers.Rest> handOver(String transaction, Executor loop);

  /** Refuses. */
  final class NoDecisions implements Decisions {
    private NoDecisions() {}

    @Override
    public boolean available() {
      return false;
    }

    @Override
    public Set<ShardId> refusing() {
      return Set.of();
    }

    @Override
    public String serviceRole() {
      throw refused();
    }

    @Override
    public String newTransaction() {
      throw refused();
    }

    @Override
    public GlobalId name(String transaction, Part part, ShardId shard) {
      throw refused();
    }

    @Override
    public CompletableFuture<Void> register(
        String transaction, List<Participant> all, Executor loop) {
      throw refused();
    }

    @Override
    public CompletableFuture<Boolean> decide(String transaction, Decision decision, Executor loop) {
      throw refused();
    }

    @Override
    public CompletableFuture<Decision> settle(String transaction, Executor loop) {
      throw refused();
    }

    @Override
    public void finished(String transaction) {
      throw refused();
    }

    @Override
    public CompletableFuture<HandOvers.Rest> handOver(String transaction, Executor loop) {
      throw refused();
    }

    /** There is the router's log. */
    @Override
    public void ended(PartialCommit commit) {}

    private static RuntimeException refused() {
      return ErrorCode.TX_ATOMIC_REFUSED.because("this router has no memory of two-phase commits");
    }
  }
}
