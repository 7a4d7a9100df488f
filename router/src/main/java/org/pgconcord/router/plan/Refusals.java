package org.pgconcord.router.plan;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.FunctionCalls;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/** Refusals that reads and writes share. */
final class Refusals {
  private Refusals() {}

  static Plan.Refused refused(ConcordException error) {
    return new Plan.Refused(error.code(), error.message(), error.detail(), error.hint());
  }

  /** Relations that no client statement may name. */
  static void forbiddenRelations(ReadFacts facts) {
    if (facts.system()) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("a relation of schema pgconcord is named");
    }
    if (!facts.lookups().isEmpty()) {
      throw ErrorCode.TABLE_GSI_LOOKUP.because(
          "%s is the lookup table of an index".formatted(facts.lookups().iterator().next()));
    }
    if (!facts.misplaced().isEmpty()) {
      throw misplaced(facts.misplaced().iterator().next());
    }
    if (!facts.unusable().isEmpty()) {
      TableName table = facts.unusable().iterator().next();
      throw ErrorCode.SCHEMA_NOT_READ.because(
          "table %s is not on the shards, or its shard key has a type that cannot be one"
              .formatted(table));
    }
    if (facts.local().size() > 1) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "the tables are on several shards: "
              + facts.local().stream().map(ShardId::uid).collect(Collectors.joining(", ")));
    }
  }

  static ConcordException misplaced(TableName table) {
    return ErrorCode.SQL_MISPLACED_TABLE.because(
        "%s is not declared, and its rows are on, or come from, several shards, or it hides a declared table"
            .formatted(table));
  }

  /** Wherever sharded rows are read, the reference tables beside them must have copies. */
  static void copiesEverywhere(ReadFacts facts) {
    Set<ShardId> needed = new HashSet<>();
    for (TableUse use : facts.sharded()) {
      needed.addAll(((Placement.Sharded) use.table().placement()).group().shards());
    }
    copiesOn(facts, needed);
  }

  /** The reference tables that are read must have copies on these shards. */
  static void copiesOn(ReadFacts facts, Collection<ShardId> needed) {
    for (DeclaredTable reference : facts.references()) {
      List<ShardId> copies = ((Placement.Reference) reference.placement()).shards();
      if (!copies.containsAll(needed)) {
        throw ErrorCode.QUERY_CROSS_SHARD.because(
            "reference table %s has no copy on every shard of the tables it is joined with"
                .formatted(reference.name()));
      }
    }
  }

  /** Functions that are passed to no shard. */
  static void sessionFunctions(PlanInput input) {
    String session = calls(input, Kind.SESSION);
    if (!session.isEmpty()) {
      ConcordException refusal =
          ErrorCode.FUNCTION_SESSION_STATE.because(
              "function %s is not supported".formatted(session));
      if (session.equals("lastval()")) {
        throw refusal.withHint("Use RETURNING, or currval of the sequence by its name.");
      }
      throw input.calls().stream().anyMatch(HomeCalls::named)
          ? refusal.withHint("Call it in a SELECT of its own, without tables that are declared.")
          : refusal;
    }
  }

  /** Temporary relations live in one session of one server. */
  static void temporary(CommandKind kind, PlanInput input) {
    Tokens tokens = input.tokens();
    boolean created = false;
    if (kind == CommandKind.DEFINITION) {
      for (int i = 1; i <= 4; i++) {
        created |= tokens.isAnyWord(i, "temp", "temporary");
      }
    }
    boolean named = false;
    for (int i = 0; i < tokens.size(); i++) {
      created |=
          input.clauses().isKeyword(i, "into") && tokens.isAnyWord(i + 1, "temp", "temporary");
      named |= tokens.kind(i).isName() && Names.of(tokens, i).startsWith("pg_temp");
    }
    if (created || named) {
      throw ErrorCode.SQL_TEMPORARY.because("temporary tables are not supported");
    }
  }

  static boolean hasOnConflict(PlanInput input) {
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.isWord(i, "on") && tokens.isWord(i + 1, "conflict")) {
        return true;
      }
    }
    return false;
  }

  /** The calls of these kinds, for a message; empty when there are none. */
  static String calls(PlanInput input, Kind... kinds) {
    Set<Kind> wanted = Set.of(kinds);
    return input.calls().stream()
        .filter(c -> wanted.contains(input.kind(c)))
        .map(FunctionCalls.Call::called)
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
