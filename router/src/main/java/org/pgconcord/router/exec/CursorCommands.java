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
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * DECLARE, FETCH, MOVE and CLOSE. A query that one shard answers is that shard's cursor, by the
 * client's own text. Over several shards it is a stream of the router's ({@link RowStream}), opened
 * when it is declared, so that it shows what there was then.
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
    if (tx.scope() == Transaction.Scope.NONE) {
      execution.failPlain("25P01", "DECLARE CURSOR can only be used in transaction blocks");
    } else if (cursors.find(command.name()) != null) {
      execution.failPlain("42P03", "cursor \"" + command.name() + "\" already exists");
    } else {
      try {
        open(execution, execution.about(command.query()), command, command.query().plan());
      } catch (RuntimeException e) {
        execution.fail(e);
      }
    }
  }

  private void open(
      Execution execution, Execution query, SessionCommand.DeclareCursor command, Plan plan) {
    Optional<ShardId> shard = oneShard(query, plan);
    if (shard.isPresent()) {
      onShard(execution, query, command.name(), shard.get());
    } else if (plan instanceof Plan.OneShard one) {
      open(execution, query, command, one.otherwise());
    } else if (plan instanceof Plan.GsiRead read) {
      open(execution, query, command, read.otherwise());
    } else if (plan instanceof Plan.Refused refused) {
      throw refused.toException();
    } else if (command.scroll() || command.binary()) {
      throw ErrorCode.SQL_CURSOR.because(
          "a cursor over several shards goes forward, and gives text");
    } else {
      streamed(execution, query, command.name(), plan);
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

  private void streamed(Execution execution, Execution query, String name, Plan plan) {
    Consumer<RowStream> then =
        rows -> {
          declared(name, new Cursor.Streamed(rows));
          execution.sink().complete("DECLARE CURSOR");
          execution.done();
        };
    if (plan instanceof Plan.Sorted sorted) {
      execution.then(
          StreamOpening.ofText(query, shards(query, sorted.rows()), Optional.of(sorted)), then);
    } else if (plan instanceof Plan.Scatter scatter) {
      execution.then(StreamOpening.ofText(query, shards(query, scatter), Optional.empty()), then);
    } else if (plan instanceof Plan.Gather gather) {
      Gather.open(query, gather, then);
    } else {
      throw ErrorCode.SQL_CURSOR.because("a cursor for a query of this kind");
    }
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
      Execution execution, SessionCommand.FetchCursor command, RowStream rows) {
    if (command.rows().isEmpty()) {
      execution.failPlain("55000", "cursor can only scan forward");
      return;
    }
    long most = command.rows().get();
    if (execution.maxRows() > 0 && (most == 0 || most > execution.maxRows())) {
      RowsInPortions.run(execution, all -> fetch(all, command, rows));
    } else if (!command.move() && execution.asksForBinary()) {
      execution.fail(
          ErrorCode.SQL_CURSOR.because("a cursor over several shards gives text, not binary"));
    } else {
      if (!command.move() && execution.describes()) {
        execution.sink().rowDescription(rows.description());
      }
      rows.fetch(most, new Fetched(execution, command.move()));
    }
  }

  /** The rows of one FETCH. */
  private record Fetched(Execution execution, boolean move) implements RowStream.Receiver {
    @Override
    public void rows(Frame rows) {
      if (!move) {
        execution.sink().rows(rows);
      }
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void complete(long count) {
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
      streamed.rows().close();
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
        streamed.rows().close();
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
