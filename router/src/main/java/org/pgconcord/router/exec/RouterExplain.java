package org.pgconcord.router.exec;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.backend.Traffic;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.PlanFormat;
import org.pgconcord.router.plan.PlanOutline;
import org.pgconcord.router.plan.PlanText;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * EXPLAIN (ROUTER): the plan for the call's values. With ANALYZE the statement runs first, in the
 * client's transaction and for good; its rows are counted and dropped, its notices passed on, and
 * its error is the answer.
 */
final class RouterExplain {
  private final Execution execution;
  private final SessionCommand.ExplainRouter command;
  private final Backends backends;

  private RouterExplain(
      Execution execution, SessionCommand.ExplainRouter command, Backends backends) {
    this.execution = execution;
    this.command = command;
    this.backends = backends;
  }

  static void run(
      Execution execution,
      SessionCommand.ExplainRouter command,
      Backends backends,
      SessionCommands commands) {
    RouterExplain explain = new RouterExplain(execution, command, backends);
    if (command.analyze()) {
      explain.analyze(commands);
    } else {
      explain.show(explain.outline());
    }
  }

  /** The column of the answer. */
  static RowDescription columns(PlanFormat format) {
    return new RowDescription(
        List.of(RowDescription.Field.text("QUERY PLAN").withType(format.typeOid())));
  }

  private PlanOutline outline() {
    PlanOutline outline =
        PlanText.outline(command.explained(), execution.parameters(), execution.costs());
    new TargetText(execution).addTo(outline);
    return outline;
  }

  private void show(PlanOutline outline) {
    if (execution.describes()) {
      execution.sink().rowDescription(columns(command.format()));
    }
    for (String row : command.format().rows(outline, command.verbose())) {
      execution.sink().row(List.of(row));
    }
    execution.sink().complete("EXPLAIN");
    execution.done();
  }

  // --- ANALYZE ---------------------------------------------------------------------------------

  private void analyze(SessionCommands commands) {
    PlanOutline outline = outline();
    ShardCounts counts = new ShardCounts();
    Rows rows = new Rows(execution.sink());
    long began = System.nanoTime();
    backends.watch(counts);
    Execution inner =
        execution.within(
            command.explained(),
            rows,
            () -> {
              backends.watch(Traffic.NONE);
              ran(outline, counts, rows, System.nanoTime() - began);
            },
            () -> backends.watch(Traffic.NONE));
    Plan plan = command.explained().plan();
    try {
      plan.match(new Dispatch(inner, commands));
    } catch (RuntimeException e) {
      inner.fail(e);
    }
  }

  private void ran(PlanOutline outline, ShardCounts counts, Rows rows, long nanos) {
    if (rows.failed) {
      execution.failedWithin();
      return;
    }
    double millis = nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    PlanOutline actual =
        new PlanOutline()
            .field("Command Tag", rows.tag)
            .count("Rows", rows.rows)
            .count("Bytes", rows.bytes)
            .millis("Time", millis);
    counts.addTo(actual);
    show(
        outline.part(
            "Actual: %s, rows=%d bytes=%d time=%s ms"
                .formatted(rows.tag, rows.rows, rows.bytes, PlanOutline.millis(millis)),
            "Actual",
            actual));
  }

  /** What the statement answers, counted. */
  private static final class Rows extends ForwardingSink {
    private final ResultSink client;
    private String tag = "";
    private long rows;
    private long bytes;
    private boolean failed;

    Rows(ResultSink client) {
      super(client);
      this.client = client;
    }

    @Override
    public void rowDescription(Frame frame) {}

    @Override
    public void noData() {}

    @Override
    public void rows(Frame frame) {
      rows += frame.count();
      bytes += frame.length();
    }

    @Override
    public void row(List<@Nullable String> values) {
      rows++;
    }

    @Override
    public void copyIn(Frame response, CopyReceiver receiver) {}

    @Override
    public void copyIn(boolean binary, int columns, CopyReceiver receiver) {}

    @Override
    public void complete(Frame frame) {
      tag = CommandTag.read(frame);
    }

    @Override
    public void complete(String words) {
      tag = words;
    }

    @Override
    public void emptyQuery() {}

    @Override
    public void suspended() {}

    @Override
    public void error(Frame frame) {
      failed = true;
      client.error(frame);
    }

    @Override
    public void error(ErrorFields fields) {
      failed = true;
      client.error(fields);
    }

    @Override
    public void done() {}
  }
}
