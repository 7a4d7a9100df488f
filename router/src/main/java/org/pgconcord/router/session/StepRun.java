package org.pgconcord.router.session;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.session.CallSink.Outcome;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.FrontendMessage;

/**
 * One {@link ExtendedStep} on its way: what was parsed and bound is remembered, and its answers are
 * sent, when a shard has accepted it.
 */
final class StepRun {
  private final ClientSession session;
  private final ClientOutput out;
  private final StatementRunner runner;
  private final ClientStatements statements;
  private final ExtendedStep step;
  private @Nullable ClientStatement parsed;
  private ClientStatements.@Nullable PortalEntry bound;

  StepRun(ClientSession session, ExtendedStep step) {
    this.session = session;
    this.out = session.out();
    this.runner = session.runner();
    this.statements = session.statements();
    this.step = step;
  }

  void start() {
    Optional<ErrorFields> fault = parse().or(this::bind);
    if (fault.isPresent()) {
      session.fail(fault.get());
    } else if (step.execute() != null) {
      execute(step.execute());
    } else if (step.describe() != null) {
      describe(step.describe());
    } else {
      check();
    }
  }

  private Optional<ErrorFields> parse() {
    FrontendMessage.Parse parse = step.parse();
    if (parse == null) {
      return Optional.empty();
    }
    parsed = new ClientStatement(parse.statement(), parse.sql(), parse.types());
    return statements.refuseParse(parse.statement());
  }

  private Optional<ErrorFields> bind() {
    FrontendMessage.Bind bind = step.bind();
    if (bind == null) {
      return Optional.empty();
    }
    ClientStatement statement = parsed != null ? parsed : statements.statement(bind.statement());
    if (statement == null) {
      return Optional.of(SessionErrors.unknownStatement(bind.statement()));
    }
    bound =
        new ClientStatements.PortalEntry(
            new ClientPortal(
                bind.portal(),
                statement,
                bind.parameters(),
                statements.types(statement),
                statements.columns(statement),
                statements.doubtful(statement)));
    return statements.refusePortal(bind.portal());
  }

  /** The shards have accepted what was parsed and bound: it exists, and its answers go out. */
  private void accept() {
    if (parsed != null) {
      statements.put(parsed);
      out.write(b -> BackendFrames.empty(b, BackendType.PARSE_COMPLETE));
    }
    if (bound != null) {
      session.drop(statements.put(bound));
      out.write(b -> BackendFrames.empty(b, BackendType.BIND_COMPLETE));
    }
  }

  private void execute(FrontendMessage.Execute execute) {
    ClientStatements.PortalEntry entry =
        bound != null ? bound : statements.portal(execute.portal());
    if (entry == null) {
      session.fail(SessionErrors.unknownPortal(execute.portal()));
      return;
    }
    int maxRows = Math.max(0, execute.maxRows());
    boolean describe = step.describe() != null;
    if (entry.state == ClientStatements.PortalState.DONE) {
      again(entry);
      return;
    }
    StatementCall call =
        entry.state == ClientStatements.PortalState.NEW
            ? new StatementCall.Execute(entry.portal, describe, maxRows)
            : new StatementCall.Continue(entry.portal, maxRows);
    session.call(
        sink -> runner.run(call, sink),
        describe ? CallSink.Description.ASKED : CallSink.Description.NONE,
        this::accept,
        sink -> executed(entry, sink));
  }

  private void executed(ClientStatements.PortalEntry entry, CallSink sink) {
    entry.returnsRows |= sink.returnedRows();
    entry.state =
        sink.outcome() == Outcome.SUSPENDED
            ? ClientStatements.PortalState.SUSPENDED
            : ClientStatements.PortalState.DONE;
    sink.columns().ifPresent(c -> statements.told(entry.portal.statement(), c));
    if (sink.columnsChanged()) {
      statements.changed(entry.portal.statement());
    }
    session.executed(sink);
  }

  /** A portal that has run to its end: no more rows, or an error when it had none to give. */
  private void again(ClientStatements.PortalEntry entry) {
    if (entry.returnsRows) {
      out.write(b -> BackendFrames.commandComplete(b, "SELECT 0"));
    } else {
      session.fail(SessionErrors.portalCannotRun(entry.portal.name()));
    }
  }

  private void describe(FrontendMessage.Describe describe) {
    boolean portal = describe.subject() == FrontendMessage.Subject.PORTAL;
    ClientStatements.PortalEntry entry =
        bound != null || !portal ? bound : statements.portal(describe.name());
    if (portal && entry == null && runner.hasCursor(describe.name())) {
      session.call(
          sink ->
              runner.describeCursor(describe.name(), new DescriptionWriter(out, null).into(sink)),
          CallSink.Description.NONE,
          this::accept,
          session::described);
      return;
    }
    ClientStatement statement = parsed;
    if (portal) {
      statement = entry == null ? null : entry.portal.statement();
    } else if (statement == null) {
      statement = statements.statement(describe.name());
    }
    if (statement == null) {
      session.fail(
          portal
              ? SessionErrors.unknownPortal(describe.name())
              : SessionErrors.unknownStatement(describe.name()));
      return;
    }
    describe(statement, new DescriptionWriter(out, portal && entry != null ? entry.portal : null));
  }

  /** A Parse or Bind that nothing follows: some shard must have accepted it all the same. */
  private void check() {
    if (parsed == null) {
      accept();
    } else {
      describe(parsed, DescriptionWriter.silent(out));
    }
  }

  private void describe(ClientStatement statement, DescriptionWriter writer) {
    session.call(
        sink -> runner.describe(statement, writer.into(sink)),
        CallSink.Description.NONE,
        this::accept,
        sink -> {
          session.described(sink);
          writer.parameterTypes().ifPresent(types -> statements.describe(statement, types));
          writer.columns().ifPresent(columns -> statements.told(statement, columns));
        });
  }
}
