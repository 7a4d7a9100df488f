package org.pgconcord.router.plan;

import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * EXPLAIN. With the option ROUTER the router shows its own plan; without it the statement's shards
 * explain, each what it would be sent.
 */
final class ExplainPlanner {
  private final StatementPlanner planner;
  private final StatementText text;
  private final PlanContext context;

  ExplainPlanner(StatementPlanner planner, StatementText text, PlanContext context) {
    this.planner = planner;
    this.text = text;
    this.context = context;
  }

  Plan plan() {
    Tokens tokens = text.tokens();
    ExplainOptions options = ExplainOptions.read(tokens);
    int start = tokens.start(options.statement());
    String inner = text.sql().substring(start, tokens.end(tokens.size() - 1));
    Planned explained = planner.plan(new StatementText(inner, Lexer.scan(inner)), context);
    return options.router()
        ? byRouter(options.ofRouter(), explained)
        : byShards(options, text.sql().substring(0, start), explained);
  }

  private static Plan byRouter(ExplainOptions.RouterOptions options, Planned explained) {
    if (options.analyze() && explained.plan() instanceof Plan.Refused refused) {
      return refused;
    }
    if (options.analyze() && !isAnalyzable(explained.plan())) {
      throw ErrorCode.EXPLAIN_OPTION
          .because("EXPLAIN (ROUTER, ANALYZE) runs SELECT, INSERT, UPDATE and DELETE only")
          .withHint("Leave ANALYZE out.");
    }
    return new SessionCommand.ExplainRouter(
        explained, options.analyze(), options.verbose(), options.format());
  }

  private static boolean isAnalyzable(Plan plan) {
    return switch (plan.facts().command()) {
      case SELECT, INSERT, UPDATE, DELETE -> true;
      case COPY, OTHER -> false;
    };
  }

  private static Plan byShards(ExplainOptions options, String prefix, Planned explained) {
    Plan inner = explained.plan();
    if (inner instanceof Plan.Numbered && options.mayAnalyze()) {
      throw ErrorCode.WRITE_NUMBER.because("EXPLAIN ANALYZE of a statement that takes numbers");
    } else if (inner instanceof Plan.Numbered numbered) {
      return byShards(options, prefix, numbered.sample(explained.text()));
    } else if (inner instanceof Plan.Refused) {
      return inner;
    }
    boolean analyze = options.mayAnalyze();
    boolean copies =
        inner instanceof Plan.CopyFrom
            || inner instanceof Plan.CopyByInsert
            || inner instanceof Plan.CopyTo
            || inner.facts().command() == Command.COPY;
    if (copies || inner instanceof SessionCommand || inner instanceof Plan.ShardExplain) {
      return needsRouter("the statement is none that a shard explains");
    } else if (analyze && isCarriedOutHere(inner)) {
      return needsRouter("the router takes part in this write, which no shard runs by itself");
    }
    StatementFacts facts = inner.facts();
    return new Plan.ShardExplain(
        new StatementFacts(
            Command.OTHER,
            analyze && facts.mayWrite(),
            facts.tables(),
            facts.why(),
            facts.stale(),
            analyze && facts.locks()),
        prefix,
        explained,
        analyze,
        options.format());
  }

  /** Entries, other copies or other shards' parts belong to the write. */
  private static boolean isCarriedOutHere(Plan plan) {
    return plan instanceof Plan.CopyWrite
        || plan instanceof Plan.InsertInParts
        || plan instanceof Plan.InsertGathered
        || plan instanceof QueryFirst
        || plan instanceof Plan.WriteOnAll
        || plan instanceof Plan.InsertUnlessTaken
        || plan instanceof Plan.Upsert
        || plan instanceof Plan.GsiWrite
        || plan instanceof Plan.WritesInWith
        || (plan instanceof Plan.Write write && write.entries().isPresent());
  }

  private static Plan needsRouter(String why) {
    return Refusals.refused(ErrorCode.EXPLAIN_NEEDS_ROUTER.because(why));
  }
}
