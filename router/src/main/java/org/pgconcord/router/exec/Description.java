package org.pgconcord.router.exec;

import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.plan.CopyInto;
import org.pgconcord.router.plan.FirstLocked;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.plan.QueryFirst;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.session.ClientStatement;
import org.pgconcord.router.session.DescribeSink;
import org.pgconcord.router.session.SessionContext;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Describes a statement without running it: any shard on which it could run is asked with the
 * client's own text, for all of them describe it alike; where the router would put numbers in, with
 * some.
 */
final class Description {
  private final SessionContext session;
  private final Transaction tx;
  private final Cursors cursors;

  Description(SessionContext session, Transaction tx, Cursors cursors) {
    this.session = session;
    this.tx = tx;
    this.cursors = cursors;
  }

  void run(ClientStatement statement, Planned planned, DescribeSink sink, Runnable end) {
    Plan plan = planned.plan();
    if (plan instanceof Plan.Refused refused) {
      refused(refused, statement, sink, end);
      return;
    }
    WhereToAsk where = new WhereToAsk(session.backends().home());
    if (plan instanceof SessionCommand.ExplainRouter explain) {
      explain(explain, where, statement, sink, end);
    } else if (plan instanceof SessionCommand.DeclareCursor declare) {
      declare(declare, where, statement, sink, end);
    } else if (plan instanceof SessionCommand.FetchCursor fetch) {
      fetch(fetch, statement, sink, end);
    } else if (plan instanceof SessionCommand command
        && !(command instanceof SessionCommand.Show)
        && !(command instanceof SessionCommand.SetConfig)) {
      sink.parameterDescription(ParameterTypes.NONE.toFrame());
      sink.noData();
      end.run();
    } else {
      ClientStatement numbered =
          plan instanceof Plan.Numbered n
              ? new ClientStatement("", n.sample(planned.text()).text().sql(), statement.types())
              : statement;
      ask(backend(plan.match(where)), numbered, new Answer(tx, sink, end));
    }
  }

  private void refused(
      Plan.Refused refused, ClientStatement statement, DescribeSink sink, Runnable end) {
    if (!SyntaxCheck.isFor(refused)) {
      throw refused.toException();
    }
    Answer answer = new Answer(tx, sink, end);
    var unused =
        backend(session.backends().home())
            .thenCompose(home -> SyntaxCheck.of(home, statement.sql(), statement.types(), refused))
            .exceptionally(Failures::fields)
            .thenAccept(answer::failed);
  }

  // --- cursors ---------------------------------------------------------------------------------

  /** The parameters are those of its query; there are no rows. */
  private void declare(
      SessionCommand.DeclareCursor declare,
      WhereToAsk where,
      ClientStatement statement,
      DescribeSink sink,
      Runnable end) {
    ClientStatement query =
        new ClientStatement("", declare.query().text().sql(), statement.types());
    ask(
        backend(declare.query().plan().match(where)),
        query,
        new Answer(tx, sink, end) {
          @Override
          public void rowDescription(Frame frame) {
            noData();
          }
        });
  }

  private void fetch(
      SessionCommand.FetchCursor fetch,
      ClientStatement statement,
      DescribeSink sink,
      Runnable end) {
    Cursors.Cursor cursor = cursors.find(fetch.name());
    if (cursor instanceof Cursors.Cursor.OnShard one) {
      ask(tx.backend(one.shard()), statement, new Answer(tx, sink, end));
      return;
    }
    sink.parameterDescription(ParameterTypes.NONE.toFrame());
    if (fetch.move() || cursor == null) {
      sink.noData();
      end.run();
    } else {
      ofCursor(fetch.name(), sink, end);
    }
  }

  /** The columns of an open cursor. */
  void ofCursor(String name, DescribeSink sink, Runnable end) {
    Cursors.Cursor cursor = cursors.find(name);
    if (cursor instanceof Cursors.Cursor.Streamed streamed) {
      sink.rowDescription(streamed.rows().rows().description().toFrame());
      end.run();
    } else if (cursor instanceof Cursors.Cursor.Held held) {
      sink.rowDescription(held.rows().description().toFrame());
      end.run();
    } else if (cursor instanceof Cursors.Cursor.OnShard one) {
      ask(
          tx.backend(one.shard()),
          new BackendRequest.DescribePortal(name),
          new Answer(tx, sink, end));
    }
  }

  // --- explained statements --------------------------------------------------------------------

  /** The parameters are those of the statement that is explained; the column is our own. */
  private void explain(
      SessionCommand.ExplainRouter explain,
      WhereToAsk where,
      ClientStatement statement,
      DescribeSink sink,
      Runnable end) {
    RowDescription columns = RouterExplain.columns(explain.format());
    Plan plan = explain.explained().plan();
    if (plan instanceof Plan.Refused || plan instanceof SessionCommand) {
      sink.parameterDescription(ParameterTypes.NONE.toFrame());
      sink.rowDescription(columns.toFrame());
      end.run();
      return;
    }
    ClientStatement inner =
        new ClientStatement("", explain.explained().text().sql(), statement.types());
    ask(
        backend(plan.match(where)),
        inner,
        new Answer(tx, sink, end) {
          @Override
          public void rowDescription(Frame frame) {
            super.rowDescription(columns.toFrame());
          }

          @Override
          public void noData() {
            super.rowDescription(columns.toFrame());
          }
        });
  }

  /** Inside the transaction only where that has begun already. */
  private CompletableFuture<BackendConnection> backend(ShardId shard) {
    return tx.shards().contains(shard)
        ? tx.backend(shard)
        : session.backends().acquire(shard, BackendRole.CLIENT);
  }

  private static void ask(
      CompletableFuture<BackendConnection> backend, ClientStatement statement, Answer answer) {
    ask(
        backend,
        new BackendRequest.DescribeStatement(statement.sql(), statement.named(), statement.types()),
        answer);
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private static void ask(
      CompletableFuture<BackendConnection> backend, BackendRequest request, Answer answer) {
    backend
        .thenAccept(b -> b.send(request, answer))
        .exceptionally(
            failure -> {
              answer.failed(Failures.fields(failure));
              return null;
            });
  }

  /** One shard per kind of plan. */
  private record WhereToAsk(ShardId home) implements Plan.Cases<ShardId> {
    @Override
    public ShardId oneShard(Plan.OneShard plan) {
      return plan.binding().anyShard();
    }

    @Override
    public ShardId anyCopy(Plan.AnyCopy plan) {
      return plan.shards().get(0);
    }

    @Override
    public ShardId scatter(Plan.Scatter plan) {
      return plan.group().shards().get(0);
    }

    @Override
    public ShardId sorted(Plan.Sorted plan) {
      return plan.rows().match(this);
    }

    @Override
    public ShardId firstLocked(FirstLocked plan) {
      return plan.rows().match(this);
    }

    @Override
    public ShardId gather(Plan.Gather plan) {
      return plan.finishers().get(0);
    }

    @Override
    public ShardId gsiRead(Plan.GsiRead plan) {
      return plan.lookup().anyOwnerShard();
    }

    @Override
    public ShardId unsharded(Plan.Unsharded plan) {
      return plan.shard();
    }

    @Override
    public ShardId authoritative(Plan.Authoritative plan) {
      return plan.shard();
    }

    @Override
    public ShardId write(Plan.Write plan) {
      return plan.binding().anyShard();
    }

    @Override
    public ShardId writesInWith(Plan.WritesInWith plan) {
      return plan.binding().anyShard();
    }

    @Override
    public ShardId gsiWrite(Plan.GsiWrite plan) {
      return plan.lookup().anyOwnerShard();
    }

    @Override
    public ShardId copyWrite(Plan.CopyWrite plan) {
      return plan.leader();
    }

    @Override
    public ShardId insertInParts(Plan.InsertInParts plan) {
      return plan.rows().rows().get(0).binding().anyShard();
    }

    @Override
    public ShardId insertUnlessTaken(Plan.InsertUnlessTaken plan) {
      return plan.rows().rows().get(0).binding().anyShard();
    }

    @Override
    public ShardId upsert(Plan.Upsert plan) {
      return plan.rows().rows().get(0).binding().anyShard();
    }

    @Override
    public ShardId writeOnAll(Plan.WriteOnAll plan) {
      return plan.group().shards().get(0);
    }

    @Override
    public ShardId insertGathered(Plan.InsertGathered plan) {
      return plan.describer();
    }

    @Override
    public ShardId queryFirst(QueryFirst plan) {
      return plan.describer();
    }

    @Override
    public ShardId copyFrom(Plan.CopyFrom plan) {
      return plan.group().shards().get(0);
    }

    @Override
    public ShardId copyByInsert(Plan.CopyByInsert plan) {
      return plan.into()
          .match(
              new CopyInto.Cases<>() {
                @Override
                public ShardId owner(CopyInto.Owner into) {
                  return into.group().shards().get(0);
                }

                @Override
                public ShardId copies(CopyInto.Copies into) {
                  return into.leader();
                }
              });
    }

    @Override
    public ShardId numbered(Plan.Numbered plan) {
      return plan.sample().match(this);
    }

    @Override
    public ShardId copyQuery(Plan.CopyQuery plan) {
      return plan.judge();
    }

    @Override
    public ShardId merge(Plan.Merge plan) {
      return plan.plans().get(0).match(this);
    }

    @Override
    public ShardId copyTo(Plan.CopyTo plan) {
      return plan.shards().get(0);
    }

    @Override
    public ShardId shardExplain(Plan.ShardExplain plan) {
      return plan.explained().plan().match(this);
    }

    @Override
    public ShardId session(SessionCommand plan) {
      return home;
    }

    @Override
    public ShardId refused(Plan.Refused plan) {
      return home;
    }
  }

  private static class Answer implements BackendListener {
    private final Transaction tx;
    private final DescribeSink sink;
    private final Runnable end;

    Answer(Transaction tx, DescribeSink sink, Runnable end) {
      this.tx = tx;
      this.sink = sink;
      this.end = end;
    }

    @Override
    public void parameterDescription(Frame frame) {
      sink.parameterDescription(frame);
    }

    @Override
    public void rowDescription(Frame frame) {
      sink.rowDescription(frame);
    }

    @Override
    public void noData() {
      sink.noData();
    }

    @Override
    public void notice(Frame frame) {
      sink.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      tx.fail();
      sink.error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      end.run();
    }

    @Override
    public void lost(ConcordException cause) {
      failed(Failures.fields(cause));
    }

    void failed(ErrorFields fields) {
      tx.fail();
      sink.error(fields);
      end.run();
    }
  }
}
