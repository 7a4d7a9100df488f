package org.pgconcord.router.backend;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/** Gathers the whole answer to a statement of the router's own. */
final class CollectingListener implements BackendListener {
  private final ShardId shard;
  private final CompletableFuture<QueryResult> result = new CompletableFuture<>();
  private final List<List<@Nullable String>> rows = new ArrayList<>();
  private String tag = "";
  private @Nullable ErrorFields error;

  CollectingListener(ShardId shard) {
    this.shard = shard;
  }

  CompletableFuture<QueryResult> result() {
    return result;
  }

  @Override
  public void rows(Frame frame) {
    rows.addAll(DataRows.texts(frame));
  }

  @Override
  public void complete(Frame frame) {
    tag = frame.body().toString(StandardCharsets.UTF_8).replace("\0", "");
  }

  @Override
  public void error(Frame frame) {
    error = ErrorFields.read(frame);
  }

  @Override
  public void ready(TransactionStatus status) {
    if (error != null) {
      result.completeExceptionally(new ShardErrorException(shard, error));
    } else {
      result.complete(new QueryResult(rows, tag));
    }
  }

  @Override
  public void lost(ConcordException cause) {
    result.completeExceptionally(error != null ? new ShardErrorException(shard, error) : cause);
  }
}
