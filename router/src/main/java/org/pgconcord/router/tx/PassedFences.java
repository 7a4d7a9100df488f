package org.pgconcord.router.tx;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.Fences.Fence;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.FenceCall;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * The fences that a transaction's writes have passed, by shard. A fence travels right before the
 * write that needs it and nobody waits for its answer: when it fails, the server fails the
 * transaction, and with it the write that follows. What it failed with is kept here, since the
 * write's own error says nothing.
 *
 * <p>A fence's lock lasts as long as the transaction, so one write on a shard passes for those that
 * follow, but for the ones after a ROLLBACK TO, which may have let it go.
 */
final class PassedFences {
  private final Map<ShardId, Set<Fence>> passed = new HashMap<>();
  private List<Fence> wanted = List.of();
  private @Nullable ErrorFields failure;

  /** What the statement that begins now has to pass wherever it writes. */
  void want(List<Fence> fences) {
    wanted = fences;
  }

  List<Fence> wanted() {
    return wanted;
  }

  /** Sends what the statement needs on this shard and the transaction has not passed there. */
  void pass(BackendConnection backend) {
    Set<Fence> here = passed.computeIfAbsent(backend.shard(), shard -> new HashSet<>());
    for (Fence fence : wanted) {
      if (here.add(fence)) {
        backend.send(FenceCall.of(fence), new Answer());
      }
    }
  }

  void failed(Frame error) {
    failed(ErrorFields.read(error));
  }

  void failed(ErrorFields why) {
    if (failure == null) {
      failure = why;
    }
  }

  /** Why the statement could not write; empty when no fence was in its way. */
  @Nullable ErrorFields failure() {
    return failure;
  }

  ErrorFields takeFailure() {
    ErrorFields taken = Objects.requireNonNull(failure);
    failure = null;
    return taken;
  }

  /** Locks may have gone with a savepoint. */
  void forget() {
    passed.clear();
    failure = null;
  }

  private final class Answer implements BackendListener {
    @Override
    public void error(Frame frame) {
      failed(frame);
    }

    @Override
    public void ready(TransactionStatus status) {}

    @Override
    public void lost(org.pgconcord.config.error.ConcordException cause) {}
  }
}
