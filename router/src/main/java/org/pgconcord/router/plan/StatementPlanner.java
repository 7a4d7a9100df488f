package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.PlainSpelling;
import org.pgconcord.router.sql.Recogniser;
import org.pgconcord.router.sql.StatementReader;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.UnreadableException;

/**
 * Plans one statement. Never throws for what a client wrote: what is not served comes back as
 * {@link Plan.Refused}. Safe for use by many threads at once; a plan found in the cache costs no
 * parse.
 *
 * <p>The order of questions: what command is it; may a declared table be involved; can it be read;
 * what must be true of its rows. Where no declared table's name occurs, the statement belongs to
 * the authoritative shard and is not read at all ({@link UndeclaredPlanner}).
 */
public final class StatementPlanner {
  private final PlanCache cache;

  public StatementPlanner() {
    this(new PlanCache());
  }

  public StatementPlanner(PlanCache cache) {
    this.cache = cache;
  }

  /** Plans {@code written}, which is empty or one statement. */
  public Planned plan(StatementText written, PlanContext context) {
    if (written.isEmpty()) {
      return new Planned(new SessionCommand.Empty(), written);
    }
    Optional<SessionCommand.SetConfig> settings = SettingCalls.of(written, context);
    if (settings.isPresent()) {
      return new Planned(pinned(settings.get(), context), written);
    }
    StatementText text = spelled(written, context);
    CommandKind kind = Recogniser.kind(text.tokens());
    boolean cached =
        switch (kind) {
          case QUERY, INSERT, UPDATE, DELETE -> true;
          default -> false;
        };
    Plan plan =
        cached
            ? cache.get(text, context, () -> fresh(kind, text, context))
            : fresh(kind, text, context);
    return new Planned(pinned(plan, context), text);
  }

  /** What no declared table may be in is left as it is, for the places in its errors. */
  private static StatementText spelled(StatementText written, PlanContext context) {
    StatementText plain = PlainSpelling.of(written);
    boolean declared =
        !plain.equals(written)
            && (PlanInput.of(plain, context).mentionsDeclared()
                || PlanInput.of(written, context).mentionsDeclared());
    return declared ? plain : written;
  }

  private static Plan pinned(Plan plan, PlanContext context) {
    try {
      return PinnedReads.of(ReplicaPlans.of(plan, context), context);
    } catch (ConcordException e) {
      return Refusals.refused(e);
    }
  }

  /**
   * PostgreSQL parses all statements of a simple query before it runs the first. So does this, as
   * far as the reader can tell: a text that is no statement, or cannot be read, lets none run.
   *
   * @throws ConcordException for the first such statement
   */
  public void requireReadable(List<StatementText> statements, PlanContext context) {
    for (StatementText statement : statements) {
      if (!Recogniser.startsStatement(statement.tokens())) {
        throw ErrorCode.SQL_SYNTAX.because(
            "syntax error at or near \"%s\"".formatted(statement.tokens().text(0)));
      }
      if (plan(statement, context).plan() instanceof Plan.Refused refused
          && (refused.code() == ErrorCode.SQL_SYNTAX
              || refused.code() == ErrorCode.SQL_UNREADABLE)) {
        throw refused.toException();
      }
    }
  }

  private Plan fresh(CommandKind kind, StatementText text, PlanContext context) {
    try {
      return switch (kind) {
        case LISTEN -> HomeCalls.channel(text.tokens(), context);
        case BEGIN, COMMIT, ROLLBACK, SAVEPOINT, SET, RESET, SHOW, DISCARD, PREPARED ->
            new SessionPlans(text.tokens()).plan(kind);
        case EXPLAIN -> new ExplainPlanner(this, text, context).plan();
        case CURSOR -> new CursorPlanner(this, text, context).plan();
        default -> data(kind, PlanInput.of(text, context));
      };
    } catch (ConcordException e) {
      return Refusals.refused(e);
    }
  }

  private Plan data(CommandKind kind, PlanInput input) {
    refuseByKind(kind);
    if (input.mentionsSystemSchema()) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("schema pgconcord is named");
    }
    Refusals.temporary(kind, input);
    NumberRules numbers = new NumberRules(input);
    UndeclaredPlanner undeclared = new UndeclaredPlanner(kind, input);
    if (kind != CommandKind.DEFINITION) {
      boolean home = kind == CommandKind.QUERY && undeclared.applies();
      PlanInput rest = numbers.withoutKnown(input);
      Refusals.sessionFunctions(home ? HomeCalls.without(rest) : rest);
    }
    if (undeclared.applies()) {
      new SequenceUses(input).refuse(kind);
    }
    if (kind == CommandKind.COPY) {
      numbers.undeclared(kind);
      CopyPlanner copy = new CopyPlanner(this, input);
      return undeclared.applies() ? copy.undeclared() : new CodeRules(input).checked(copy.plan());
    }
    return undeclared.applies()
        ? numbered(numbers.undeclared(kind), input).orElseGet(undeclared::plan)
        : new CodeRules(input).checked(declared(kind, input, numbers));
  }

  /** With numbers in their places the statement is planned like any other. */
  private Optional<Plan> numbered(Optional<NumberEdits> numbers, PlanInput input) {
    return numbers.map(
        edits -> {
          // Not through the cache, which is being filled for the statement itself.
          StatementText text = edits.sample(input.text());
          Plan sample = fresh(Recogniser.kind(text.tokens()), text, input.context());
          return sample instanceof Plan.Refused
              ? sample
              : new Plan.Numbered(edits, sample, input.context());
        });
  }

  /** Commands that are served nowhere. */
  private static void refuseByKind(CommandKind kind) {
    switch (kind) {
      case PROCEDURE -> throw ErrorCode.SQL_PROCEDURE.because("DO and CALL are not supported");
      case MAINTENANCE ->
          throw ErrorCode.SQL_MAINTENANCE.because("maintenance commands are not supported");
      case TWO_PHASE ->
          throw ErrorCode.SQL_TRANSACTION_FORM.because("prepared transactions are not supported");
      default -> {}
    }
  }

  private Plan declared(CommandKind kind, PlanInput input, NumberRules numbers) {
    return switch (kind) {
      case QUERY, INSERT, UPDATE, DELETE -> {
        StatementView view = read(kind, input);
        yield numbered(numbers.edits(kind, view), input).orElseGet(() -> rows(view, input));
      }
      case MERGE ->
          new MergePlanner(
                  input, text -> fresh(Recogniser.kind(text.tokens()), text, input.context()))
              .plan();
      case TRUNCATE -> throw ErrorCode.SQL_TRUNCATE.because("TRUNCATE names a declared table");
      case LOCK -> throw ErrorCode.SQL_LOCK_TABLE.because("LOCK names a declared table");
      case DEFINITION ->
          throw ErrorCode.SQL_DEFINITION.because("the definition names a declared table");
      default -> throw ErrorCode.SQL_COMMAND.because("the command is not supported");
    };
  }

  /**
   * A query that stands within another statement; refused where it is not served.
   *
   * @throws ConcordException or {@link Plan.Refused}
   */
  static Plan query(StatementText text, PlanContext context) {
    PlanInput input = PlanInput.of(text, context);
    new NumberRules(input).refuseCalls();
    UndeclaredPlanner undeclared = new UndeclaredPlanner(CommandKind.QUERY, input);
    return undeclared.applies() ? undeclared.plan() : rows(read(CommandKind.QUERY, input), input);
  }

  /**
   * An UPDATE or DELETE with other values than the client's.
   *
   * @throws ConcordException or {@link Plan.Refused}
   */
  static Plan change(StatementText text, PlanContext context) {
    PlanInput input = PlanInput.of(text, context);
    return rows(read(Recogniser.kind(text.tokens()), input), input);
  }

  private static Plan rows(StatementView view, PlanInput input) {
    if (!(view instanceof StatementView.Query)) {
      return new WritePlanner(input).plan(view);
    }
    return view.scope().writes()
        ? new WithPlanner(input, view).plan()
        : new QueryPlanner(input, view.scope()).plan();
  }

  private static StatementView read(CommandKind kind, PlanInput input) {
    try {
      StatementView view = StatementReader.read(input.text(), input.names().watched());
      if ((view instanceof StatementView.Query) != (kind == CommandKind.QUERY)) {
        throw new UnreadableException("this kind of statement");
      }
      return view;
    } catch (UnreadableException e) {
      if (e.isWritingCte()) {
        throw ErrorCode.WRITE_CTE.because("the router cannot plan " + e.construct());
      }
      if (kind == CommandKind.INSERT && Refusals.hasOnConflict(input)) {
        throw ErrorCode.WRITE_ON_CONFLICT.because("ON CONFLICT is not supported here");
      }
      throw ErrorCode.SQL_UNREADABLE.because("the router cannot read " + e.construct());
    }
  }
}
