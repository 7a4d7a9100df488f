package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.exec.Cursors.Cursor;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.Resolution;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.plan.SessionCommand.DeclareCursor.Scroll;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * DECLARE, FETCH, MOVE and CLOSE. A query that one shard answers is that shard's cursor, by the
 * client's own text. Over several shards it is a stream of the router's ({@link RowStream}), opened
 * when it is declared, so that it shows what there was then. One that goes back (SCROLL), and one
 * that outlives its transaction (WITH HOLD, on one shard too), is read to its end then and held.
 */
final class CursorCommands {
  private final Cursors cursors;
  private final Transaction tx;

  CursorCommands(Cursors cursors, Transaction tx) {
    this.cursors = cursors;
    this.tx = tx;
  }

  // --- DECLARE ---------------------------------------------------------------------------------

  void declare(Execution execution, SessionCommand.DeclareCursor command) {
    if (tx.scope() == Transaction.Scope.NONE && !command.hold()) {
      execution.failPlain("25P01", "DECLARE CURSOR can only be used in transaction blocks");
    } else if (cursors.find(command.name()) != null) {
      execution.failPlain("42P03", "cursor \"" + command.name() + "\" already exists");
    } else {
      try {
        if (command.hold() && tx.scope() == Transaction.Scope.NONE) {
          tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
        }
        open(execution, execution.about(command.query()), command, command.query().plan());
      } catch (RuntimeException e) {
        execution.fail(e);
      }
    }
  }

  private void open(
      Execution execution, Execution query, SessionCommand.DeclareCursor command, Plan plan) {
    Optional<ShardId> shard = oneShard(query, plan);
    if (shard.isPresent() && !command.hold()) {
      onShard(execution, query, command.name(), shard.get());
    } else if (shard.isEmpty() && plan instanceof Plan.OneShard one) {
      open(execution, query, command, one.otherwise());
    } else if (plan instanceof Plan.GsiRead read) {
      open(execution, query, command, read.otherwise());
    } else if (plan instanceof Plan.Refused refused) {
      throw refused.toException();
    } else if (command.binary()) {
      throw ErrorCode.SQL_CURSOR.because(
          command.hold()
              ? "a cursor WITH HOLD gives text, not binary"
              : "a cursor over several shards gives text, not binary");
    } else if (command.hold() || command.scroll() == Scroll.SCROLL) {
      if (plan.facts().locks()) {
        String which = command.hold() ? "DECLARE CURSOR WITH HOLD" : "DECLARE SCROLL CURSOR";
        execution.failPlain("0A000", which + " ... FOR UPDATE is not supported");
        return;
      }
      rows(query, plan, shard, rows -> hold(execution, command, rows));
    } else {
      rows(query, plan, shard, rows -> streamed(execution, command.name(), rows));
    }
  }

  private static Optional<ShardId> oneShard(Execution query, Plan plan) {
    if (plan instanceof Plan.OneShard one) {
      return one.binding().resolve(query.planned().text(), query.parameters())
              instanceof Resolution.One where
          ? Optional.of(where.shard())
          : Optional.empty();
    } else if (plan instanceof Plan.AnyCopy any) {
      return Optional.of(Dispatch.copy(query, any));
    } else if (plan instanceof Plan.Unsharded one) {
      return Optional.of(one.shard());
    }
    return plan instanceof Plan.Authoritative one ? Optional.of(one.shard()) : Optional.empty();
  }

  private void onShard(Execution execution, Execution query, String name, ShardId shard) {
    query.requireEqualCopies(query.planned().plan().facts(), List.of(shard));
    if (query.planned().plan().facts().mayWrite()) {
      tx.write(shard);
    }
    execution.then(
        query.reader(shard),
        backend ->
            backend.send(
                execution.request(execution.sql(), false, backend),
                new PassThrough(execution, false) {
                  @Override
                  void answered() {
                    declared(name, new Cursor.OnShard(shard));
                    super.answered();
                  }
                }));
  }

  private void rows(Execution query, Plan plan, Optional<ShardId> shard, Consumer<RowStream> then) {
    if (shard.isPresent()) {
      query.requireEqualCopies(plan.facts(), List.of(shard.get()));
      if (plan.facts().mayWrite()) {
        tx.write(shard.get());
      }
      query.then(StreamOpening.ofText(query, List.of(shard.get()), Optional.empty()), then);
    } else if (plan instanceof Plan.Sorted sorted) {
      query.then(
          StreamOpening.ofText(query, shards(query, sorted.rows()), Optional.of(sorted)), then);
    } else if (plan instanceof Plan.Scatter scatter) {
      query.then(StreamOpening.ofText(query, shards(query, scatter), Optional.empty()), then);
    } else if (plan instanceof Plan.Gather gather) {
      Gather.open(query, gather, then);
    } else {
      throw ErrorCode.SQL_CURSOR.because("a cursor for a query of this kind");
    }
  }

  private void streamed(Execution execution, String name, RowStream rows) {
    declared(name, new Cursor.Streamed(new ForwardCursor(rows)));
    execution.sink().complete("DECLARE CURSOR");
    execution.done();
  }

  // --- rows that are held ----------------------------------------------------------------------

  private void hold(Execution execution, SessionCommand.DeclareCursor command, RowStream rows) {
    AllRows.take(
        execution,
        rows,
        cursors.held(),
        all ->
            held(
                execution,
                command,
                new HeldCursor(rows.description(), all, command.scroll() != Scroll.NO_SCROLL)));
  }

  private void held(Execution execution, SessionCommand.DeclareCursor command, HeldCursor rows) {
    declared(command.name(), new Cursor.Held(rows, command.hold()));
    if (tx.scope() != Transaction.Scope.SINGLE) {
      execution.sink().complete("DECLARE CURSOR");
      execution.done();
      return;
    }
    execution.then(
        tx.commit(),
        done -> {
          cursors.committed();
          execution.sink().complete("DECLARE CURSOR");
          execution.done();
        });
  }

  private static List<ShardId> shards(Execution query, Plan.Scatter plan) {
    List<ShardId> shards = plan.shards(query.planned().text(), query.parameters());
    query.requireFanOut(plan.binding().isPresent() ? FanOut.MULTI : FanOut.SCATTER, () -> shards);
    query.requireEqualCopies(plan.facts(), shards);
    return shards;
  }

  private void declared(String name, Cursor cursor) {
    cursors.add(name, cursor, tx.savepointsSet());
  }

  // --- FETCH and MOVE --------------------------------------------------------------------------

  void fetch(Execution execution, SessionCommand.FetchCursor command) {
    Cursor cursor = cursors.find(command.name());
    if (cursor instanceof Cursor.OnShard one) {
      pass(execution, one.shard(), () -> {});
    } else if (cursor instanceof Cursor.Streamed streamed) {
      fetch(execution, command, streamed.rows());
    } else if (cursor instanceof Cursor.Held held) {
      fetch(execution, command, held.rows());
    } else {
      unknown(execution, command.name());
    }
  }

  private static void unknown(Execution execution, String name) {
    execution.failPlain("34000", "cursor \"" + name + "\" does not exist");
  }

  private void pass(Execution execution, ShardId shard, Runnable then) {
    execution.then(
        tx.backend(shard),
        backend ->
            backend.send(
                execution.request(execution.sql(), true, backend),
                new PassThrough(execution, false) {
                  @Override
                  void answered() {
                    then.run();
                    super.answered();
                  }
                }));
  }

  private static void fetch(
      Execution execution, SessionCommand.FetchCursor command, ForwardCursor cursor) {
    Optional<ForwardCursor.Step> step = cursor.step(command);
    if (step.isEmpty()) {
      forwardOnly(execution);
    } else if (begins(execution, command, cursor.rows().description())) {
      long skipped = step.get().skipped();
      if (skipped > 0) {
        Fetched skipping = new Fetched(execution, cursor, command.move(), skipped, step);
        cursor.rows().fetch(skipped, skipping);
      } else {
        give(execution, command.move(), cursor, step.get());
      }
    }
  }

  private static void give(
      Execution execution, boolean move, ForwardCursor cursor, ForwardCursor.Step step) {
    if (step.given() == 0) {
      execution.sink().complete((move ? "MOVE " : "FETCH ") + step.counted());
      execution.done();
      return;
    }
    boolean all = step.given() == SessionCommand.FetchCursor.ALL;
    cursor
        .rows()
        .fetch(
            all ? 0 : step.given(),
            new Fetched(execution, cursor, move, step.given(), Optional.empty()));
  }

  private static void fetch(
      Execution execution, SessionCommand.FetchCursor command, HeldCursor cursor) {
    if (execution.maxRows() > 0) {
      RowsInPortions.run(execution, all -> fetch(all, command, cursor));
    } else if (cursor.refuses(command)) {
      forwardOnly(execution);
    } else if (begins(execution, command, cursor.description())) {
      HeldCursor.Found found = cursor.fetch(command);
      if (!command.move()) {
        found.rows().forEach(execution.sink()::rows);
      }
      execution.sink().complete((command.move() ? "MOVE " : "FETCH ") + found.count());
      execution.done();
    }
  }

  private static void forwardOnly(Execution execution) {
    execution.fail(
        ErrorFields.plain("ERROR", "55000", "cursor can only scan forward")
            .with('H', "Declare it with SCROLL option to enable backward scan."));
  }

  /** False where the rows cannot be told, and the client has been told so. */
  private static boolean begins(
      Execution execution, SessionCommand.FetchCursor command, RowDescription description) {
    if (command.move()) {
      return true;
    } else if (execution.asksForBinary()) {
      execution.fail(
          ErrorCode.SQL_CURSOR.because("a cursor over several shards gives text, not binary"));
      return false;
    }
    if (execution.describes()) {
      execution.sink().rowDescription(description);
    }
    return true;
  }

  /**
   * The rows of one FETCH, or those in front of them.
   *
   * @param asked how many
   * @param then what follows rows that are skipped
   */
  private record Fetched(
      Execution execution,
      ForwardCursor cursor,
      boolean move,
      long asked,
      Optional<ForwardCursor.Step> then)
      implements RowStream.Receiver {
    @Override
    public void rows(Frame rows) {
      if (!move && then.isEmpty()) {
        execution.sink().rows(rows);
      }
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void complete(long count) {
      cursor.passed(count, count < asked);
      if (then.isPresent()) {
        give(execution, move, cursor, then.get());
        return;
      }
      execution.sink().complete((move ? "MOVE " : "FETCH ") + count);
      execution.done();
    }

    @Override
    public void suspended(long count) {
      complete(count);
    }

    @Override
    public void failed(ErrorFields fields) {
      execution.fail(fields);
    }
  }

  // --- CLOSE -----------------------------------------------------------------------------------

  void close(Execution execution, SessionCommand.CloseCursor command) {
    if (command.name().isEmpty()) {
      closeAll(execution);
      return;
    }
    String name = command.name().get();
    Cursor cursor = cursors.find(name);
    if (cursor instanceof Cursor.OnShard one) {
      pass(execution, one.shard(), () -> cursors.remove(name));
    } else if (cursor instanceof Cursor.Streamed streamed) {
      cursors.remove(name);
      streamed.rows().rows().close();
      execution.sink().complete("CLOSE CURSOR");
      execution.done();
    } else if (cursor instanceof Cursor.Held) {
      cursors.remove(name);
      execution.sink().complete("CLOSE CURSOR");
      execution.done();
    } else {
      unknown(execution, name);
    }
  }

  private void closeAll(Execution execution) {
    List<CompletableFuture<?>> closing = new ArrayList<>();
    for (String name : cursors.names()) {
      Cursor cursor = cursors.find(name);
      cursors.remove(name);
      if (cursor instanceof Cursor.Streamed streamed) {
        streamed.rows().rows().close();
      } else if (cursor instanceof Cursor.OnShard one) {
        closing.add(tx.backend(one.shard()).thenCompose(backend -> close(backend, name)));
      }
    }
    execution.then(
        CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new)),
        done -> {
          execution.sink().complete("CLOSE CURSOR ALL");
          execution.done();
        });
  }

  private static CompletableFuture<?> close(BackendConnection backend, String name) {
    return backend.query("CLOSE " + Identifiers.quote(name), List.of());
  }
}
