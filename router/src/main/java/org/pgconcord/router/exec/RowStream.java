package org.pgconcord.router.exec;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * The rows of one query over several shards, made as they are asked for: each shard has a portal,
 * and what is held here is bounded, however many rows there are and whoever is slow
 * (docs/decisions/0024).
 *
 * <p>Between two fetches nothing runs on any shard, so that other statements and streams of the
 * session come in between as they like. All portals were opened before the first row was asked for:
 * what the transaction does afterwards is not seen through them, as on one server.
 *
 * <p>When one shard fails the others are cancelled, and the failure is told after all of them have
 * answered. On the session's event loop.
 */
abstract class RowStream {
  /** Where the rows of one fetch go; one of the last three comes, last. */
  interface Receiver {
    void rows(Frame rows);

    void notice(Frame frame);

    /** All rows have been given; {@code count} of them by this fetch. */
    void complete(long count);

    /** As many as were asked for; there may be more. */
    void suspended(long count);

    void failed(ErrorFields fields);
  }

  private final Transaction tx;
  private final List<ShardPortal> portals;
  private final RowDescription description;
  private final Set<ShardPortal> asked = new HashSet<>();
  private @Nullable ErrorFields failure;
  private @Nullable Receiver receiver;
  private long left;
  private long given;
  private boolean going;

  RowStream(Transaction tx, List<ShardPortal> portals, RowDescription description) {
    this.tx = tx;
    this.portals = List.copyOf(portals);
    this.description = description;
  }

  /** The client's columns. */
  final RowDescription description() {
    return description;
  }

  /** What the client is told when all rows have been given, {@code count} of them at last. */
  String tag(long count) {
    return "SELECT " + count;
  }

  /** Bytes of rows that are here. */
  long held() {
    return 0;
  }

  final List<ShardPortal> portals() {
    return portals;
  }

  /** {@code most}: 0 for all that are left. */
  final void fetch(long most, Receiver to) {
    receiver = to;
    left = most == 0 ? Long.MAX_VALUE : most;
    given = 0;
    go();
  }

  final void close() {
    portals.forEach(ShardPortal::close);
  }

  // --- for the kinds of streams ----------------------------------------------------------------

  /**
   * Gives what there is by {@link #give}, then asks for what is missing by {@link #ask}. It is
   * called again after each answer. Neither means that there is nothing more.
   */
  protected abstract void step();

  /** Rows of a portal that were asked for. */
  protected abstract void arrived(ShardPortal from, Frame rows);

  /** How many rows may still be given. */
  protected final long left() {
    return left;
  }

  protected final void give(Frame rows) {
    left -= rows.count();
    given += rows.count();
    to().rows(rows);
  }

  /** {@code most}: 0 for all that are left. Nothing where the portal has been asked already. */
  protected final void ask(ShardPortal portal, int most) {
    if (!asked.add(portal)) {
      return;
    }
    Answer answer = new Answer(portal);
    var unused =
        tx.backend(portal.shard())
            .whenComplete(
                (backend, lost) -> {
                  if (lost == null) {
                    portal.next(most, answer);
                  } else {
                    answer.answered(Failures.fields(lost));
                  }
                });
  }

  /** Ends this stream with an error of the router's own. */
  protected final void fail(ErrorFields fields) {
    if (failure == null) {
      failure = fields;
      asked.forEach(ShardPortal::cancel);
    }
  }

  // --- going on --------------------------------------------------------------------------------

  /** Not again from within: answers may come at once. */
  private void go() {
    if (going) {
      return;
    }
    going = true;
    boolean again = true;
    while (again) {
      int before = asked.size();
      if (failure == null && left > 0) {
        step();
      }
      again = asked.size() < before;
    }
    going = false;
    if (asked.isEmpty()) {
      end();
    }
  }

  private void end() {
    Receiver to = to();
    receiver = null;
    if (failure != null) {
      to.failed(failure);
    } else if (left > 0) {
      to.complete(given);
    } else {
      to.suspended(given);
    }
  }

  private Receiver to() {
    if (receiver == null) {
      throw new IllegalStateException("rows that nobody has asked for");
    }
    return receiver;
  }

  private final class Answer implements ShardPortal.Listener {
    private final ShardPortal portal;

    Answer(ShardPortal portal) {
      this.portal = portal;
    }

    @Override
    public void rows(Frame rows) {
      if (failure == null) {
        arrived(portal, rows);
      }
    }

    @Override
    public void notice(Frame frame) {
      to().notice(frame);
    }

    @Override
    public void answered(@Nullable ErrorFields fields) {
      asked.remove(portal);
      if (fields != null) {
        fail(fields);
      }
      go();
    }
  }
}
