package org.pgconcord.router.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrameBytes;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/** Answers words instead of SQL and notes what it was asked. */
final class ScriptedRunner implements StatementRunner {
  private static final RowDescription COLUMNS =
      new RowDescription(List.of(RowDescription.Field.text("word")));

  final List<String> asked = new ArrayList<>();
  private final IdentityHashMap<ClientPortal, Integer> given = new IdentityHashMap<>();
  private boolean implicit;
  private boolean explicit;
  private boolean failed;

  @Override
  public List<String> split(String sql) {
    return Arrays.stream(sql.split(";")).filter(s -> !s.isBlank()).toList();
  }

  @Override
  public void run(StatementCall call, ResultSink sink) {
    asked.add((call instanceof StatementCall.Continue ? "more(" : "run(") + call.sql() + ")");
    if (failed && !call.sql().equals("rollback")) {
      fail(sink, "25P02");
      return;
    }
    switch (call.sql()) {
      case "rows" -> rows(call, sink);
      case "empty" -> sink.emptyQuery();
      case "fail" -> fail(sink, "22012");
      case "begin" -> begin(sink);
      case "commit", "rollback" -> end(sink, call.sql());
      default -> sink.complete("DO");
    }
    sink.done();
  }

  private void rows(StatementCall call, ResultSink sink) {
    sink.rowDescription(COLUMNS);
    int limit = 0;
    int from = 0;
    if (call instanceof StatementCall.Execute execute) {
      limit = execute.maxRows();
    } else if (call instanceof StatementCall.Continue more) {
      limit = more.maxRows();
      from = given.getOrDefault(more.portal(), 0);
    }
    int to = limit == 0 ? 2 : Math.min(2, from + limit);
    for (int i = from; i < to; i++) {
      sink.row(List.of("row"));
    }
    call.boundPortal().ifPresent(portal -> given.put(portal, to));
    if (limit > 0 && to - from == limit) {
      sink.suspended();
    } else {
      sink.complete("SELECT " + (to - from));
    }
  }

  private void fail(ResultSink sink, String sqlState) {
    markFailed();
    sink.error(ErrorFields.plain("ERROR", sqlState, "as scripted"));
    sink.done();
  }

  private void begin(ResultSink sink) {
    explicit = true;
    sink.complete("BEGIN");
  }

  private void end(ResultSink sink, String word) {
    explicit = false;
    failed = false;
    sink.complete(word);
  }

  @Override
  public void describe(ClientStatement statement, DescribeSink sink) {
    asked.add("describe(" + statement.sql() + ")");
    if (statement.sql().equals("bad")) {
      markFailed();
      sink.error(ErrorFields.plain("ERROR", "42601", "as scripted"));
    } else {
      sink.parameterDescription(Frame.of(FrameBytes.parameterDescription()));
      sink.rowDescription(COLUMNS.toFrame());
    }
    sink.done();
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
    asked.add("close(" + portal.statement().sql() + ")");
  }

  @Override
  public void beginImplicit() {
    implicit = true;
    asked.add("implicit");
  }

  @Override
  public void endImplicit(ResultSink sink) {
    if (!explicit) {
      asked.add(failed ? "rollback" : "commit");
      failed = false;
    }
    implicit = false;
    sink.done();
  }

  @Override
  public void fail() {
    asked.add("fail");
    markFailed();
  }

  private void markFailed() {
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
    asked.add("cancel");
  }

  @Override
  public void close() {
    asked.add("closed");
  }
}
