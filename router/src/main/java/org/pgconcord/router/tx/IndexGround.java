package org.pgconcord.router.tx;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.FenceCall;
import org.pgconcord.router.wire.ErrorFields;

/**
 * The servers that a statement relies on when indexes tell it where rows are. On the session's
 * event loop.
 *
 * <p>An index says the truth about the rows of the servers with which it was compared, and about no
 * others: a promoted standby may lack entries, or rows, or have rows again whose entries are gone.
 * So whoever has looked into an index asks {@link #holds} before believing it, and from then on
 * each backend that the statement gets is {@link #checked}: should it be the first that finds a
 * follower, or another session have found one meanwhile, the statement is stopped before anything
 * is sent, as by a fence, and begins anew without the index. A server's follower is known here
 * before any backend on it is handed out, so that no statement is led by entries of one server to
 * rows of the next (decision 0035).
 */
public final class IndexGround {
  private final Supplier<Stands> stands;
  private final PassedFences fences;
  private final Set<ShardId> shards = new TreeSet<>();

  IndexGround(Supplier<Stands> stands, PassedFences fences) {
    this.stands = stands;
    this.fences = fences;
  }

  /**
   * Whether what an index of these shards has just said may be believed; the statement is led by it
   * then.
   */
  public boolean holds(Collection<ShardId> ofIndex) {
    if (!stands.get().hold(ofIndex)) {
      return false;
    }
    shards.addAll(ofIndex);
    return true;
  }

  /**
   * The same thing, when what has led the statement still holds.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code tx/epoch-passed}; the statement is
   *     stopped
   */
  public <T> T checked(T thing) {
    if (!shards.isEmpty() && !stands.get().hold(shards)) {
      String why = "Another server has followed that of a shard on which an index stands.";
      fences.failed(ErrorFields.plain("ERROR", FenceCall.PASSED, why));
      throw ErrorCode.TX_EPOCH_PASSED.because("an index cannot be relied on any more");
    }
    return thing;
  }

  /** The next statement has not been led by anything. */
  void leave() {
    shards.clear();
  }
}
