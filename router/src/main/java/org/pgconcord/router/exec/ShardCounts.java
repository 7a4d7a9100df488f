package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.replica.ReplicaAnswer;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.ForwardingListener;
import org.pgconcord.router.backend.Traffic;
import org.pgconcord.router.plan.PlanOutline;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Counts what one statement does on each shard: requests, rows and their bytes, and the time during
 * which at least one request was not answered yet. The client's role and the service role, which X.
 */
final class ShardCounts implements Traffic {
  private record Place(ShardId shard, BackendRole role) {}

  private static final class Count {
    final List<String> texts = new ArrayList<>();
    long requests;
    long rows;
    long bytes;
    long nanos;
    int open;
    long since;

    void begin() {
      if (open++ == 0) {
        since = System.nanoTime();
      }
    }

    void end() {
      if (--open == 0) {
        nanos += System.nanoTime() - since;
      }
    }

    double millis() {
      return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
  }

  /** Different texts kept for each place. */
  private static final int TEXTS_MOST = 20;

  private final Map<Place, Count> counts = new LinkedHashMap<>();

  @Override
  public BackendListener sent(
      BackendConnection backend, BackendRequest request, BackendListener listener) {
    if (request instanceof BackendRequest.Begin
        || backend.role() == BackendRole.WATCH
        || text(request).equals(ReplicaAnswer.ASK)) {
      return listener;
    }
    Count count =
        counts.computeIfAbsent(new Place(backend.shard(), backend.role()), p -> new Count());
    String text = text(request);
    if (!text.isEmpty() && !keepsInStep(text)) {
      count.requests++;
      if (count.texts.size() < TEXTS_MOST && !count.texts.contains(text)) {
        count.texts.add(text);
      }
    }
    count.begin();
    return new Counting(listener, count);
  }

  /** Of what makes the server run something. */
  private static String text(BackendRequest request) {
    if (request instanceof BackendRequest.Query query) {
      return query.sql().strip();
    } else if (request instanceof BackendRequest.Extended extended) {
      return extended.sql().strip();
    } else if (request instanceof BackendRequest.Open open) {
      return open.sql().strip();
    } else if (request instanceof BackendRequest.Fenced fenced) {
      return fenced.statement().sql().strip();
    }
    return "";
  }

  /** What brings a backend up to the session's settings and savepoints; no part of a statement. */
  private static boolean keepsInStep(String text) {
    return List.of("SET ", "SAVEPOINT ").stream()
        .anyMatch(word -> text.regionMatches(true, 0, word, 0, word.length()));
  }

  private static final class Counting extends ForwardingListener {
    private final Count count;

    Counting(BackendListener target, Count count) {
      super(target);
      this.count = count;
    }

    @Override
    public void rows(Frame rows) {
      count.rows += rows.count();
      count.bytes += rows.length();
      super.rows(rows);
    }

    @Override
    public void ready(TransactionStatus status) {
      count.end();
      super.ready(status);
    }

    @Override
    public void lost(ConcordException cause) {
      count.end();
      super.lost(cause);
    }
  }

  private static String words(BackendRole role) {
    if (role.service()) {
      return "Service role on";
    }
    return role == BackendRole.REPLICA ? "Replica of" : "Shard";
  }

  private static String role(BackendRole role) {
    if (role.service()) {
      return "service";
    }
    return role == BackendRole.REPLICA ? "replica" : "client";
  }

  /** Adds a line, and a document's fields, for each place, in the order of their first request. */
  void addTo(PlanOutline outline) {
    List<String> lines = new ArrayList<>();
    List<PlanOutline> parts = new ArrayList<>();
    counts.forEach(
        (place, count) -> {
          lines.add(
              "%s %s: requests=%d rows=%d bytes=%d time=%s ms"
                  .formatted(
                      words(place.role()),
                      place.shard(),
                      count.requests,
                      count.rows,
                      count.bytes,
                      PlanOutline.millis(count.millis())));
          parts.add(part(place, count));
        });
    outline.parts("Shards", lines, parts);
  }

  private static PlanOutline part(Place place, Count count) {
    PlanOutline part =
        new PlanOutline()
            .field("Shard", place.shard().uid())
            .field("Role", role(place.role()))
            .count("Requests", count.requests)
            .count("Rows", count.rows)
            .count("Bytes", count.bytes)
            .millis("Time", count.millis());
    return part.details("Sent", "Sent", count.texts);
  }
}
