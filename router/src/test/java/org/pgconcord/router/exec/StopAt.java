package org.pgconcord.router.exec;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.Part;
import org.pgconcord.config.atomic.PartialCommit;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.HandOvers;

/** Decisions of which one step can be made to wait: a router that is frozen there. */
final class StopAt implements Decisions {
  /** Where a router stops. */
  enum Step {
    BEFORE_REGISTER,
    AFTER_REGISTER,
    BEFORE_DECIDE,
    AFTER_DECIDE
  }

  private final Decisions real;
  private volatile @Nullable Step step;
  private volatile CountDownLatch reached = new CountDownLatch(1);
  private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
  private volatile @Nullable String transaction;

  StopAt(Decisions real) {
    this.real = real;
  }

  /** The next commit stops there. */
  void stopAt(Step at) {
    reached = new CountDownLatch(1);
    gate = new CompletableFuture<>();
    step = at;
  }

  /** Waits until it has stopped; the transaction's id. */
  String awaitStopped() throws InterruptedException {
    if (!reached.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("no commit came to " + step);
    }
    return String.valueOf(transaction);
  }

  /** It goes on. */
  void wake() {
    step = null;
    gate.complete(null);
  }

  private CompletableFuture<Void> pass(Step at, String id, Executor loop) {
    if (step != at) {
      return CompletableFuture.completedFuture(null);
    }
    transaction = id;
    CompletableFuture<Void> open = gate;
    reached.countDown();
    return open.thenRunAsync(() -> {}, loop);
  }

  @Override
  public boolean available() {
    return real.available();
  }

  @Override
  public Set<ShardId> refusing() {
    return real.refusing();
  }

  @Override
  public String serviceRole() {
    return real.serviceRole();
  }

  @Override
  public String newTransaction() {
    return real.newTransaction();
  }

  @Override
  public GlobalId name(String id, Part part, ShardId shard) {
    return real.name(id, part, shard);
  }

  @Override
  public CompletableFuture<Void> register(String id, List<Participant> all, Executor loop) {
    return pass(Step.BEFORE_REGISTER, id, loop)
        .thenCompose(go -> real.register(id, all, loop))
        .thenCompose(done -> pass(Step.AFTER_REGISTER, id, loop));
  }

  @Override
  public CompletableFuture<Boolean> decide(String id, Decision decision, Executor loop) {
    return pass(Step.BEFORE_DECIDE, id, loop)
        .thenCompose(go -> real.decide(id, decision, loop))
        .thenCompose(mine -> pass(Step.AFTER_DECIDE, id, loop).thenApply(go -> mine));
  }

  @Override
  public CompletableFuture<Decision> settle(String id, Executor loop) {
    return real.settle(id, loop);
  }

  @Override
  public void finished(String id) {
    real.finished(id);
  }

  @Override
  public void ended(PartialCommit commit) {
    real.ended(commit);
  }

  @Override
  public CompletableFuture<HandOvers.Rest> handOver(String id, Executor loop) {
    return real.handOver(id, loop);
  }
}
