package org.pgconcord.router.session;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Sends everything to the home shard, or to {@code shard-b} when the text contains {@code @b}:
 * enough to show the session layer alone against real servers.
 */
final class PassThroughRunner implements StatementRunner {
  private final SessionContext session;
  private boolean explicit;
  private boolean implicit;
  private boolean failed;

  PassThroughRunner(SessionContext session) {
    this.session = session;
  }

  @Override
  public List<String> split(String sql) {
    return StatementText.split(sql).stream().map(StatementText::sql).toList();
  }

  @Override
  public void run(StatementCall call, ResultSink sink) {
    String first = firstWord(call.sql());
    boolean ends = first.equals("COMMIT") || first.equals("ROLLBACK");
    if (failed && !ends) {
      sink.error(ErrorFields.plain("ERROR", "25P02", "current transaction is aborted"));
      sink.done();
    } else if (first.isEmpty()) {
      sink.emptyQuery();
      sink.done();
    } else if (first.equals("BEGIN")) {
      explicit = true;
      sink.complete("BEGIN");
      sink.done();
    } else if (ends) {
      end(first.equals("COMMIT") && !failed, sink, true);
    } else {
      onBackend(shard(call.sql()), sink, backend -> send(backend, call, first, sink));
    }
  }

  private void send(BackendConnection backend, StatementCall call, String first, ResultSink sink) {
    Relay relay = new Relay(sink);
    if (call instanceof StatementCall.Continue more) {
      backend.send(new BackendRequest.Continue(name(more.portal()), more.maxRows()), relay);
    } else if (List.of("SET", "RESET", "DISCARD").contains(first)) {
      session.settings().run(backend, command(call.sql()), call.sql(), new Watching(sink));
    } else if (call instanceof StatementCall.Execute execute) {
      ClientPortal portal = execute.portal();
      backend.send(
          new BackendRequest.Extended(
              call.sql(),
              portal.statement().named(),
              portal.statement().types(),
              portal.parameters(),
              execute.maxRows() == 0 ? "" : name(portal),
              execute.describe(),
              execute.maxRows()),
          relay);
    } else {
      backend.send(new BackendRequest.Query(call.sql()), relay);
    }
  }

  private static String name(ClientPortal portal) {
    return "p" + System.identityHashCode(portal);
  }

  private static SettingCommand command(String sql) {
    String[] words = sql.strip().split("[\\s=]+");
    String first = words[0].toUpperCase(Locale.ROOT);
    boolean all = words[1].equalsIgnoreCase("ALL");
    if (first.equals("DISCARD")) {
      return new SettingCommand(SettingCommand.Kind.DISCARD_ALL, "", "");
    }
    if (first.equals("RESET")) {
      return all
          ? new SettingCommand(SettingCommand.Kind.RESET_ALL, "", "")
          : new SettingCommand(SettingCommand.Kind.RESET, words[1], "");
    }
    boolean local = words[1].equalsIgnoreCase("LOCAL");
    int at = local ? 2 : 1;
    int skip = words[at + 1].equalsIgnoreCase("TO") ? 2 : 1;
    return new SettingCommand(
        local ? SettingCommand.Kind.SET_LOCAL : SettingCommand.Kind.SET,
        words[at].toLowerCase(Locale.ROOT),
        words[at + skip].replace("'", ""));
  }

  private void onBackend(ShardId shard, ResultSink sink, Consumer<BackendConnection> then) {
    CompletableFuture<BackendConnection> backend =
        explicit || implicit
            ? session.backends().enlist(shard, BackendRole.CLIENT, "BEGIN")
            : session.backends().acquire(shard, BackendRole.CLIENT);
    var unused =
        backend.whenComplete(
            (open, failure) -> {
              if (failure == null) {
                then.accept(open);
                return;
              }
              fail();
              Throwable root = failure.getCause() == null ? failure : failure.getCause();
              if (root instanceof ShardErrorException refused) {
                sink.error(refused.fields());
              } else {
                sink.error((ConcordException) root);
              }
              sink.done();
            });
  }

  private ShardId shard(String sql) {
    return sql.contains("@b") ? new ShardId("shard-b") : session.backends().home();
  }

  private static String firstWord(String sql) {
    StatementText text = StatementText.one(sql);
    return text.isEmpty()
        ? ""
        : sql.substring(text.tokens().start(0), text.tokens().end(0)).toUpperCase(Locale.ROOT);
  }

  private void end(boolean commit, ResultSink sink, boolean tag) {
    List<BackendConnection> open =
        session.backends().connections().stream()
            .filter(c -> c.status() != TransactionStatus.IDLE)
            .toList();
    String word = commit ? "COMMIT" : "ROLLBACK";
    CompletableFuture<?>[] answers =
        open.stream().map(c -> c.query(word, List.of())).toArray(CompletableFuture<?>[]::new);
    var unused =
        CompletableFuture.allOf(answers)
            .whenComplete(
                (done, failure) -> {
                  explicit = false;
                  failed = false;
                  if (commit && failure == null) {
                    session.settings().committed();
                  } else {
                    session.settings().rolledBack();
                  }
                  if (failure != null && failure.getCause() instanceof ShardErrorException shard) {
                    sink.error(shard.fields());
                  } else if (tag) {
                    sink.complete(word);
                  }
                  sink.done();
                });
  }

  @Override
  public void describe(ClientStatement statement, DescribeSink sink) {
    CompletableFuture<BackendConnection> backend =
        explicit || implicit
            ? session.backends().enlist(shard(statement.sql()), BackendRole.CLIENT, "BEGIN")
            : session.backends().acquire(shard(statement.sql()), BackendRole.CLIENT);
    var unused =
        backend.thenAccept(
            open ->
                open.send(
                    new BackendRequest.DescribeStatement(
                        statement.sql(), statement.named(), statement.types()),
                    new DescribeRelay(sink)));
  }

  @Override
  public boolean hasCursor(String name) {
    return false;
  }

  @Override
  public void describeCursor(String name, DescribeSink sink) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void closePortal(ClientPortal portal) {
    session
        .backends()
        .connections()
        .forEach(
            c -> c.send(new BackendRequest.ClosePortal(name(portal)), new Relay(new SilentSink())));
  }

  @Override
  public void beginImplicit() {
    implicit = true;
  }

  @Override
  public void endImplicit(ResultSink sink) {
    implicit = false;
    if (explicit) {
      sink.done();
    } else {
      end(!failed, sink, false);
    }
  }

  @Override
  public void fail() {
    failed = explicit || implicit;
  }

  @Override
  public TransactionStatus status() {
    if (!explicit) {
      return TransactionStatus.IDLE;
    }
    return failed ? TransactionStatus.FAILED : TransactionStatus.OPEN;
  }

  @Override
  public boolean mayCommit() {
    return false;
  }

  @Override
  public void cancel() {
    session.backends().cancelRunning();
  }

  @Override
  public void close() {}

  /** Passes a result on and notices errors. */
  private final class Relay implements BackendListener {
    private final ResultSink sink;

    Relay(ResultSink sink) {
      this.sink = sink;
    }

    @Override
    public void bound() {
      sink.bound();
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
    public void rows(Frame rows) {
      sink.rows(rows);
    }

    @Override
    public void complete(Frame frame) {
      sink.complete(frame);
    }

    @Override
    public void emptyQuery() {
      sink.emptyQuery();
    }

    @Override
    public void suspended() {
      sink.suspended();
    }

    @Override
    public void notice(Frame frame) {
      sink.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      fail();
      sink.error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      sink.done();
    }

    @Override
    public void lost(ConcordException cause) {
      fail();
      sink.error(cause);
      sink.done();
    }
  }

  private final class DescribeRelay implements BackendListener {
    private final DescribeSink sink;

    DescribeRelay(DescribeSink sink) {
      this.sink = sink;
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
    public void error(Frame frame) {
      fail();
      sink.error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      sink.done();
    }

    @Override
    public void lost(ConcordException cause) {
      sink.error(cause);
      sink.done();
    }
  }

  /** Notices errors of settings commands. */
  private final class Watching extends SilentSink {
    private final ResultSink sink;

    Watching(ResultSink sink) {
      this.sink = sink;
    }

    @Override
    public void complete(Frame frame) {
      sink.complete(frame);
    }

    @Override
    public void notice(Frame frame) {
      sink.notice(frame);
    }

    @Override
    public void error(Frame frame) {
      fail();
      sink.error(frame);
    }

    @Override
    public void error(ErrorFields fields) {
      fail();
      sink.error(fields);
    }

    @Override
    public void done() {
      sink.done();
    }
  }
}
