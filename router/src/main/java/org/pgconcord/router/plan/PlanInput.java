package org.pgconcord.router.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.analyse.KnownFunctions;
import org.pgconcord.router.analyse.RelationNames;
import org.pgconcord.router.analyse.UserCodeUses;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/** One statement with everything its planning looks at. */
record PlanInput(
    StatementText text,
    Clauses clauses,
    PlanContext context,
    LogicalDatabase database,
    RelationNames names,
    List<FunctionCalls.Call> calls) {

  static PlanInput of(StatementText text, PlanContext context) {
    Topology topology = context.state().topology();
    LogicalDatabase database =
        topology.database(context.database()).orElseGet(() -> undeclared(topology, context));
    return new PlanInput(
        text,
        new Clauses(text.tokens()),
        context,
        database,
        new RelationNames(context.state(), database, context.searchPath(), context.role()),
        UserCodeUses.calls(text.tokens(), context.state().userCode(database.name())));
  }

  /** The same statement, only these of its calls being calls. */
  PlanInput withCalls(List<FunctionCalls.Call> real) {
    return new PlanInput(text, clauses, context, database, names, real);
  }

  /** A database that the topology does not name is wholly on the authoritative shard. */
  private static LogicalDatabase undeclared(Topology topology, PlanContext context) {
    Placement fallback =
        new Placement.Unsharded(
            topology.authoritativeGroup(), topology.authoritativeShard(), false);
    return new LogicalDatabase(context.database(), Map.of(), List.of(), Map.of(), fallback);
  }

  Tokens tokens() {
    return text.tokens();
  }

  ShardId authoritativeShard() {
    return context.state().topology().authoritativeShard();
  }

  /** True when some token could be the name of a relation that routing depends on. */
  boolean mentionsDeclared() {
    var watched = names.watched();
    return IntStream.range(0, tokens().size())
        .anyMatch(
            i ->
                tokens().kind(i).isName()
                    && (watched.contains(Names.of(tokens(), i)) || isEscaped(i)));
  }

  /** {@code U&"..." UESCAPE '!'} may be any name. */
  private boolean isEscaped(int token) {
    return tokens().kind(token) == TokenKind.UNICODE_NAME && tokens().isWord(token + 1, "uescape");
  }

  /** True when the system's own schema is named. */
  boolean mentionsSystemSchema() {
    return names.pathHasSystemSchema()
        || IntStream.range(0, tokens().size())
            .anyMatch(
                i ->
                    tokens().kind(i).isName()
                        && Names.of(tokens(), i).equals(RelationNames.SYSTEM_SCHEMA)
                        && (tokens().isSymbol(i + 1, ".") || tokens().isWord(i - 1, "schema")));
  }

  boolean calls(KnownFunctions.Kind kind) {
    return calls.stream().anyMatch(c -> kind(c) == kind);
  }

  KnownFunctions.Kind kind(FunctionCalls.Call call) {
    return UserCodeUses.kind(call, names.builtinsFirst(), names.userCode());
  }

  /** A function that could change something is called. */
  boolean callsMayWrite() {
    return calls(KnownFunctions.Kind.BUILT_IN) || calls(KnownFunctions.Kind.UNKNOWN);
  }

  /** Rows are locked by a SELECT, at any level. */
  boolean locks() {
    Tokens t = tokens();
    return IntStream.range(0, t.size())
        .anyMatch(
            i ->
                clauses.isKeyword(i, "for")
                    && (t.isAnyWord(i + 1, "update", "share")
                        || (t.isWord(i + 1, "no") && t.isWord(i + 2, "key"))
                        || (t.isWord(i + 1, "key") && t.isWord(i + 2, "share"))));
  }

  /** How often each parameter occurs, by number. */
  Map<Integer, Long> parameterUses() {
    Map<Integer, Long> uses = new HashMap<>();
    for (int i = 0; i < tokens().size(); i++) {
      String text = tokens().kind(i) == TokenKind.PARAMETER ? tokens().text(i) : "";
      if (text.length() > 1 && text.length() < 10) {
        uses.merge(Integer.parseInt(text.substring(1)), 1L, Long::sum);
      }
    }
    return uses;
  }

  /** How often a parameter occurs. */
  long uses(int parameter) {
    String text = "$" + parameter;
    return IntStream.range(0, tokens().size())
        .filter(i -> tokens().kind(i) == TokenKind.PARAMETER && tokens().text(i).equals(text))
        .count();
  }
}
