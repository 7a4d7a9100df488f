package org.pgconcord.router.exec;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.copy.CopyWriter;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.Planned;
import org.pgconcord.router.session.ClientPortal;
import org.pgconcord.router.session.ClientStatement;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.session.StatementCall;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.wire.CopyBytes;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * COPY TO STDOUT of a query that is finished here from rows of several shards: the query runs by
 * its own route, and its rows are written as COPY writes them.
 *
 * <p>A shard first runs the same COPY of none of the query's rows: PostgreSQL judges the options
 * and writes the header.
 */
final class CopyQuery {
  private static final byte[] TRAILER = {-1, -1};

  private final Execution execution;
  private final Plan.CopyQuery plan;

  private CopyQuery(Execution execution, Plan.CopyQuery plan) {
    this.execution = execution;
    this.plan = plan;
  }

  /**
   * Runs it.
   *
   * @param route runs the query
   */
  static void run(Execution execution, Plan.CopyQuery plan, Consumer<Execution> route) {
    CopyQuery copy = new CopyQuery(execution, plan);
    execution.then(
        execution.tx().backend(plan.judge()).thenCompose(copy::none),
        none -> copy.start(none, route));
  }

  private CompletableFuture<Empty> none(BackendConnection judge) {
    Empty none = new Empty(judge);
    judge.send(new BackendRequest.Query(plan.none()), none);
    return none.whole;
  }

  private void start(Empty none, Consumer<Execution> route) {
    Parameters formats =
        Parameters.none().withResultFormats((short) (plan.format().binary() ? 1 : 0));
    ClientPortal portal =
        new ClientPortal(
            "",
            new ClientStatement("", plan.query(), ParameterTypes.NONE),
            formats,
            ParameterTypes.NONE);
    Rows rows = new Rows(execution.sink(), none);
    Execution query =
        execution.query(
            new StatementCall.Execute(portal, true, 0),
            new Planned(plan.select(), StatementText.one(plan.query())),
            rows,
            execution::done);
    try {
      route.accept(query);
    } catch (RuntimeException e) {
      query.fail(e);
    }
  }

  /** The query's rows on their way to the client. */
  private final class Rows extends ForwardingSink {
    private final Empty none;
    private @Nullable CopyWriter writer;
    private byte[] header = {};
    private long count;

    Rows(ResultSink client, Empty none) {
      super(client);
      this.none = none;
    }

    @Override
    public void bound() {}

    @Override
    public void rowDescription(Frame frame) {
      rowDescription(RowDescription.read(frame));
    }

    @Override
    public void rowDescription(RowDescription columns) {
      writer =
          new CopyWriter(
              plan.format(),
              columns.fields().stream().map(RowDescription.Field::name).toList(),
              plan.forceQuote());
      super.copyOut(none.response());
      byte[] first = none.header(plan.format().binary());
      if (plan.format().binary()) {
        header = first;
      } else if (first.length > 0) {
        super.copyData(first);
      }
    }

    /** In binary format the header goes out in one message with what comes first behind it. */
    private void data(byte[] bytes) {
      super.copyData(CopyBytes.joined(header, bytes));
      header = new byte[0];
    }

    @Override
    public void rows(Frame frame) {
      if (writer != null) {
        for (var row : DataRows.values(frame)) {
          count++;
          data(writer.row(row));
        }
      }
    }

    @Override
    public void complete(Frame frame) {
      complete("");
    }

    @Override
    public void complete(String tag) {
      if (plan.format().binary()) {
        data(TRAILER);
      }
      super.copyDone();
      super.complete("COPY " + count);
    }

    @Override
    public void error(Frame frame) {
      error(ErrorFields.read(frame));
    }

    @Override
    public void error(ErrorFields fields) {
      super.error(Gather.withoutPosition(fields));
    }

    @Override
    public void done() {}
  }

  /** What a shard says of the COPY without a row. */
  private static final class Empty implements BackendListener {
    private final BackendConnection backend;
    private final CompletableFuture<Empty> whole = new CompletableFuture<>();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private @Nullable Frame response;
    private @Nullable ErrorFields failure;

    Empty(BackendConnection backend) {
      this.backend = backend;
    }

    Frame response() {
      if (response == null) {
        throw new IllegalStateException("a COPY has not been answered");
      }
      return response;
    }

    byte[] header(boolean binary) {
      byte[] all = data.toByteArray();
      return binary ? Arrays.copyOf(all, CopyBytes.headerLength(all)) : all;
    }

    @Override
    public boolean copyOut(Frame frame) {
      response = frame.copy();
      return true;
    }

    @Override
    public void copyData(Frame frame) {
      data.writeBytes(CopyBytes.of(frame));
    }

    @Override
    public void error(Frame frame) {
      failure = ErrorFields.read(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failure == null) {
        whole.complete(this);
      } else {
        whole.completeExceptionally(
            new ShardErrorException(backend.shard(), Gather.withoutPosition(failure)));
      }
    }

    @Override
    public void lost(ConcordException cause) {
      whole.completeExceptionally(cause);
    }
  }
}
