package org.pgconcord.router.exec;

import java.util.List;
import java.util.Optional;
import org.pgconcord.router.backend.Backends;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.SessionContext;
import org.pgconcord.router.session.SettingCall;
import org.pgconcord.router.session.SettingCommand;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;

/** Statements about the session or its transaction, carried out here. */
final class SessionCommands {
  private final SessionContext session;
  private final Transaction tx;
  private final Cursors cursors;
  private final CursorCommands cursorCommands;

  SessionCommands(SessionContext session, Transaction tx, Cursors cursors) {
    this.session = session;
    this.tx = tx;
    this.cursors = cursors;
    this.cursorCommands = new CursorCommands(cursors, tx);
  }

  /** The open transaction reads all its statements from one moment, on each shard another. */
  boolean fixedSnapshot() {
    return tx.scope() != Transaction.Scope.NONE
        && tx.modes()
            .isolation()
            .map(TransactionModes.Isolation::fixedSnapshot)
            .orElseGet(session.settings()::fixedSnapshot);
  }

  Backends backends() {
    return session.backends();
  }

  void run(Execution execution, SessionCommand command) {
    command.match(new Run(execution));
  }

  private final class Run implements SessionCommand.Cases<Void> {
    private final Execution execution;

    Run(Execution execution) {
      this.execution = execution;
    }

    @Override
    public Void begin(SessionCommand.Begin command) {
      if (tx.scope() == Transaction.Scope.EXPLICIT) {
        warn("25001", "there is already a transaction in progress");
      } else {
        tx.begin(
            Transaction.Scope.EXPLICIT,
            tx.untouched() ? command.modes() : merged(tx.modes(), command.modes()));
      }
      return complete("BEGIN");
    }

    @Override
    public Void commit(SessionCommand.Commit command) {
      if (tx.scope() == Transaction.Scope.NONE) {
        warn("25P01", "there is no transaction in progress");
        return complete("COMMIT");
      }
      if (tx.failed()) {
        return rollBack();
      }
      execution.then(
          tx.commit(),
          done -> {
            cursors.committed();
            complete("COMMIT");
          });
      return null;
    }

    @Override
    public Void rollback(SessionCommand.Rollback command) {
      if (tx.scope() == Transaction.Scope.NONE) {
        warn("25P01", "there is no transaction in progress");
        return complete("ROLLBACK");
      }
      return rollBack();
    }

    @Override
    public Void savepoint(SessionCommand.Savepoint command) {
      if (inBlock("SAVEPOINT")) {
        tx.savepoint(command.name());
        complete("SAVEPOINT");
      }
      return null;
    }

    @Override
    public Void rollbackTo(SessionCommand.RollbackTo command) {
      if (inBlock("ROLLBACK TO SAVEPOINT") && known(command.name())) {
        long savepoint = tx.savepointNumber(command.name());
        execution.then(
            tx.rollbackTo(command.name()),
            done -> {
              cursors.rolledBackTo(savepoint);
              complete("ROLLBACK");
            });
      }
      return null;
    }

    @Override
    public Void release(SessionCommand.Release command) {
      if (inBlock("RELEASE SAVEPOINT") && known(command.name())) {
        execution.then(tx.release(command.name()), done -> complete("RELEASE"));
      }
      return null;
    }

    private boolean inBlock(String command) {
      if (tx.scope() == Transaction.Scope.EXPLICIT) {
        return true;
      }
      execution.failPlain("25P01", command + " can only be used in transaction blocks");
      return false;
    }

    private boolean known(String savepoint) {
      if (tx.hasSavepoint(savepoint)) {
        return true;
      }
      execution.failPlain("3B001", "savepoint \"" + savepoint + "\" does not exist");
      return false;
    }

    private Void rollBack() {
      Execution.whenDone(tx.rollback(), () -> complete("ROLLBACK"));
      return null;
    }

    @Override
    public Void setTransaction(SessionCommand.SetTransaction command) {
      if (command.session()) {
        return setting(new SettingCommand(SettingCommand.Kind.SET, "session characteristics", ""));
      }
      if (tx.scope() != Transaction.Scope.EXPLICIT) {
        warn("25P01", "SET TRANSACTION can only be used in transaction blocks");
      } else if (tx.untouched()) {
        tx.setModes(merged(tx.modes(), command.modes()));
      } else {
        execution.failPlain(
            "25001", "SET TRANSACTION must be called before any query of the transaction");
        return null;
      }
      return complete("SET");
    }

    @Override
    public Void set(SessionCommand.SetParameter command) {
      String value = String.join(", ", command.values());
      if (command.name().equals("transaction_isolation")) {
        isolation(value);
      }
      SettingCommand.Kind kind =
          command.local()
              ? SettingCommand.Kind.SET_LOCAL
              : command.values().isEmpty() ? SettingCommand.Kind.RESET : SettingCommand.Kind.SET;
      return setting(new SettingCommand(kind, command.name(), value));
    }

    /** What BEGIN could have said; whether it is too late for it the server knows. */
    private void isolation(String level) {
      for (TransactionModes.Isolation known : TransactionModes.Isolation.values()) {
        if (known.name().replace('_', ' ').equalsIgnoreCase(level)) {
          tx.setModes(
              merged(
                  tx.modes(),
                  new TransactionModes(Optional.of(known), Optional.empty(), Optional.empty())));
        }
      }
    }

    @Override
    public Void reset(SessionCommand.Reset command) {
      boolean all = command.name().equals("all");
      return setting(
          new SettingCommand(
              all ? SettingCommand.Kind.RESET_ALL : SettingCommand.Kind.RESET,
              all ? "" : command.name(),
              ""));
    }

    @Override
    public Void discardAll(SessionCommand.DiscardAll command) {
      execution.session().numbers().forget();
      if (tx.scope() == Transaction.Scope.NONE) {
        cursors.clear();
      }
      return setting(new SettingCommand(SettingCommand.Kind.DISCARD_ALL, "", ""));
    }

    @Override
    public Void deallocate(SessionCommand.Deallocate command) {
      if (command.name().isEmpty()) {
        session.deallocateAll();
        return complete("DEALLOCATE ALL");
      } else if (session.deallocate(command.name().get())) {
        return complete("DEALLOCATE");
      }
      execution.failPlain(
          "26000", "prepared statement \"" + command.name().get() + "\" does not exist");
      return null;
    }

    @Override
    public Void unlisten(SessionCommand.Unlisten command) {
      return session.backends().keepsHome() ? atHome() : complete("UNLISTEN");
    }

    @Override
    public Void setConfig(SessionCommand.SetConfig command) {
      List<SettingCall> calls = SettingArguments.calls(command, execution.parameters());
      calls.forEach(call -> session.settings().refuse(call.command()));
      for (SettingCall call : calls) {
        if (call.command().name().equals("transaction_isolation")) {
          isolation(call.command().value());
        }
      }
      execution.then(
          tx.home(),
          home ->
              home.send(
                  execution.request(execution.sql(), true, home),
                  new PassThrough(execution, false) {
                    @Override
                    void answered() {
                      boolean inside = tx.scope() != Transaction.Scope.NONE;
                      execution.then(
                          session.settings().accepted(home, calls, inside),
                          done -> super.answered());
                    }
                  }));
      return null;
    }

    private Void setting(SettingCommand command) {
      execution.then(
          tx.home(),
          home ->
              session.settings().run(home, command, execution.sql(), new SettingSink(execution)));
      return null;
    }

    @Override
    public Void show(SessionCommand.Show command) {
      session.settings().refuse(command.name());
      return atHome();
    }

    private Void atHome() {
      execution.then(
          tx.home(),
          home ->
              home.send(
                  execution.request(execution.sql(), true, home),
                  new PassThrough(execution, false)));
      return null;
    }

    @Override
    public Void explainRouter(SessionCommand.ExplainRouter command) {
      try {
        RouterExplain.run(execution, command, session.backends(), SessionCommands.this);
      } catch (RuntimeException e) {
        execution.fail(e);
      }
      return null;
    }

    @Override
    public Void declareCursor(SessionCommand.DeclareCursor command) {
      cursorCommands.declare(execution, command);
      return null;
    }

    @Override
    public Void fetchCursor(SessionCommand.FetchCursor command) {
      cursorCommands.fetch(execution, command);
      return null;
    }

    @Override
    public Void closeCursor(SessionCommand.CloseCursor command) {
      cursorCommands.close(execution, command);
      return null;
    }

    @Override
    public Void empty(SessionCommand.Empty command) {
      describeNothing();
      execution.sink().emptyQuery();
      execution.done();
      return null;
    }

    private Void complete(String tag) {
      describeNothing();
      execution.sink().complete(tag);
      execution.done();
      return null;
    }

    private void describeNothing() {
      if (execution.describes() && !execution.simple()) {
        execution.sink().noData();
      }
    }

    private void warn(String sqlState, String message) {
      execution.sink().notice(ErrorFields.plain("WARNING", sqlState, message));
    }
  }

  private static TransactionModes merged(TransactionModes old, TransactionModes more) {
    return new TransactionModes(
        either(more.isolation(), old.isolation()),
        either(more.readOnly(), old.readOnly()),
        either(more.deferrable(), old.deferrable()));
  }

  private static <T> Optional<T> either(Optional<T> first, Optional<T> second) {
    return first.isPresent() ? first : second;
  }

  /** The session's settings end a command through a sink; its end is the execution's. */
  private static final class SettingSink extends ForwardingSink {
    private final Execution execution;
    private boolean failed;

    SettingSink(Execution execution) {
      super(execution.sink());
      this.execution = execution;
    }

    @Override
    public void error(org.pgconcord.router.wire.Frame frame) {
      failed = true;
      super.error(frame);
    }

    @Override
    public void error(ErrorFields fields) {
      failed = true;
      super.error(fields);
    }

    @Override
    public void error(org.pgconcord.config.error.ConcordException error) {
      error(Failures.fields(error));
    }

    @Override
    public void done() {
      if (failed) {
        execution.failedByShard();
      } else {
        execution.done();
      }
    }
  }
}
