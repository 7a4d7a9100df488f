package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * EXPLAIN. With the option ROUTER the router shows its own plan; without it the statement's shard
 * explains, when there is exactly one.
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
    int at = 1;
    boolean analyze = false;
    boolean router = false;
    if (tokens.isSymbol(1, "(") && !tokens.isAnyWord(2, "select", "with", "values", "table")) {
      while (at < tokens.size() && !tokens.isSymbol(at, ")")) {
        refuseQuoted(tokens, at);
        analyze |= tokens.isAnyWord(at, "analyze", "analyse") && !isOff(tokens, at + 1);
        router |= tokens.isWord(at, "router");
        at++;
      }
      at++;
      if (router && at != 4) {
        throw ErrorCode.SQL_COMMAND.because("EXPLAIN (ROUTER) takes no other option");
      }
    } else {
      while (tokens.isAnyWord(at, "analyze", "analyse", "verbose")) {
        analyze |= !tokens.isWord(at, "verbose");
        at++;
      }
    }
    if (at >= tokens.size()) {
      throw ErrorCode.SQL_SYNTAX.because("syntax error at end of input");
    }
    String inner = text.sql().substring(tokens.start(at), tokens.end(tokens.size() - 1));
    Planned planned = planner.plan(new StatementText(inner, Lexer.scan(inner)), context);
    return router
        ? new SessionCommand.ExplainRouter(planned)
        : onShard(planned.plan(), at, analyze);
  }

  /** {@code ("analyze")} means the option too; read as another it would run a write unseen. */
  private static void refuseQuoted(Tokens tokens, int at) {
    if (tokens.kind(at).isName() && tokens.kind(at) != TokenKind.WORD) {
      throw ErrorCode.SQL_COMMAND.because("the options of EXPLAIN are written without quotes");
    }
  }

  private static boolean isOff(Tokens tokens, int at) {
    return tokens.isAnyWord(at, "off", "false")
        || (at < tokens.size() && tokens.text(at).equals("0"));
  }

  /** The same route for the whole EXPLAIN text, whose tokens come {@code shift} later. */
  private static Plan onShard(Plan inner, int shift, boolean analyze) {
    if (inner instanceof Plan.OneShard plan) {
      return new Plan.OneShard(
          facts(plan.facts(), analyze), shifted(plan.binding(), shift), needsRouter());
    } else if (inner instanceof Plan.Write plan && !(analyze && plan.entries().isPresent())) {
      return new Plan.OneShard(
          facts(plan.facts(), analyze), shifted(plan.binding(), shift), needsRouter());
    } else if (inner instanceof Plan.CopyWrite plan && !analyze) {
      return new Plan.Unsharded(facts(plan.facts(), false), plan.leader());
    } else if (inner instanceof Plan.AnyCopy plan) {
      return new Plan.AnyCopy(facts(plan.facts(), false), plan.shards());
    } else if (inner instanceof Plan.Unsharded plan) {
      return new Plan.Unsharded(facts(plan.facts(), analyze), plan.shard());
    } else if (inner instanceof Plan.Authoritative plan) {
      return new Plan.Authoritative(facts(plan.facts(), analyze), plan.shard());
    }
    return inner instanceof Plan.Refused ? inner : needsRouter();
  }

  private static StatementFacts facts(StatementFacts inner, boolean analyze) {
    return new StatementFacts(
        Command.OTHER, analyze && inner.mayWrite(), inner.tables(), inner.why(), inner.stale());
  }

  private static Plan needsRouter() {
    return Refusals.refused(
        ErrorCode.EXPLAIN_NEEDS_ROUTER.because("the statement does not run on one shard alone"));
  }

  private static ShardBinding shifted(ShardBinding binding, int shift) {
    List<ShardBinding.Pin> pins = new ArrayList<>();
    for (ShardBinding.Pin pin : binding.pins()) {
      List<ShardBinding.Part> parts =
          pin.parts().stream()
              .map(p -> new ShardBinding.Part(shifted(p.operand(), shift), p.column()))
              .toList();
      pins.add(new ShardBinding.Pin(parts, pin.locator(), pin.use()));
    }
    return new ShardBinding(pins, binding.anyShard(), binding.required());
  }

  private static KeyOperand shifted(KeyOperand operand, int shift) {
    return operand instanceof KeyOperand.Literal literal
        ? new KeyOperand.Literal(literal.token() + shift, literal.negative(), literal.cast())
        : operand;
  }
}
