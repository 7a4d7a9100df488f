package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.AttachedCode;
import org.pgconcord.config.schema.Reach;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.FunctionCalls.Call;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.UserCodeUses;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.Names;

/**
 * Where code of users may run (docs/decisions/0033). What its body reads are the rows of the shard
 * that it runs on: so it runs where these are all there are.
 *
 * <p>Three questions, one for each way in which such code comes into a statement: does a call of a
 * statement on one known shard touch anything that is elsewhere; does a call of a statement on
 * sharded tables touch any table but reference tables; does an expression that belongs to a table
 * of the statement, though the statement does not name it.
 */
final class CodeRules {
  private final PlanInput input;

  CodeRules(PlanInput input) {
    this.input = input;
  }

  // --- on one known shard ----------------------------------------------------------------------

  /** For a statement that runs on this shard, or on some copy of reference tables without it. */
  void onShard(Optional<ShardId> shard) {
    Set<String> unknown = new TreeSet<>();
    for (Call call : input.calls()) {
      if (input.kind(call) == Kind.UNKNOWN) {
        Optional<Reach> reach = UserCodeUses.reach(call, input.names().userCode());
        reach.ifPresentOrElse(
            r -> beyond(r, shard).ifPresent(why -> refuse(call, why)),
            () -> unknown.add(call.called()));
      }
    }
    if (!unknown.isEmpty()) {
      throw ErrorCode.FUNCTION_NOT_KNOWN.because(
          "what the body of %s reads is not known here".formatted(String.join(", ", unknown)));
    }
  }

  private void refuse(Call call, String why) {
    writesCopies(call);
    throw ErrorCode.FUNCTION_READS_TABLES
        .because("%s %s".formatted(call.called(), why))
        .withHint(
            "Read the tables in the statement itself, or call the function in one that is pinned by its shard key. A function that reads nothing is declared IMMUTABLE.");
  }

  private Optional<String> beyond(Reach reach, Optional<ShardId> shard) {
    if (reach.unseen().isPresent()) {
      return reach.unseen().map("may read any table: "::concat);
    }
    Set<TableName> elsewhere = new TreeSet<>(reach.spread());
    reach
        .onOne()
        .forEach((table, there) -> addUnless(shard.equals(Optional.of(there)), table, elsewhere));
    for (TableName table : reach.copies()) {
      boolean whole =
          shard.filter(s -> copies(table).contains(s) && !marked(table).contains(s)).isPresent();
      addUnless(whole, table, elsewhere);
    }
    return elsewhere.isEmpty() && reach.written().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "may read %s, and runs on one shard, which does not have all rows of it"
                .formatted(listed(elsewhere)));
  }

  private static void addUnless(boolean whole, TableName table, Set<TableName> elsewhere) {
    if (!whole) {
      elsewhere.add(table);
    }
  }

  // --- beside sharded tables -------------------------------------------------------------------

  /** The plan, unless code that its statement runs could see too little. */
  Plan checked(Plan plan) {
    if (plan instanceof Plan.Refused || plan instanceof SessionCommand) {
      return plan;
    }
    attached(plan.facts());
    boolean placed =
        plan instanceof Plan.Authoritative
            || plan instanceof Plan.Unsharded
            || plan instanceof Plan.AnyCopy
            || plan instanceof Plan.CopyWrite;
    if (!placed && plan.facts().command() != Command.COPY) {
      calls();
    }
    return plan;
  }

  private void calls() {
    for (Call call : input.calls()) {
      writesCopies(call);
      Optional<Reach> reach = UserCodeUses.reach(call, input.names().userCode());
      if (reach.isPresent() && !input.context().localFunctions()) {
        shardsRows(reach.get(), groupShards())
            .ifPresent(
                why -> {
                  throw reads(call.called() + " " + why);
                });
      }
    }
  }

  private static ConcordException reads(String what) {
    return ErrorCode.FUNCTION_READS_TABLES.because(what);
  }

  private Optional<String> shardsRows(Reach reach, Set<ShardId> shards) {
    if (reach.unseen().isPresent()) {
      return reach.unseen().map("may read any table: "::concat);
    }
    Set<TableName> partly = new TreeSet<>(reach.spread());
    partly.addAll(reach.onOne().keySet());
    for (TableName table : reach.copies()) {
      addUnless(
          copies(table).containsAll(shards) && marked(table).stream().noneMatch(shards::contains),
          table,
          partly);
    }
    return partly.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "may read %s, of which the statement's shard does not have all rows"
                .formatted(listed(partly)));
  }

  private void writesCopies(Call call) {
    UserCodeUses.reach(call, input.names().userCode()).stream()
        .flatMap(reach -> reach.written().stream())
        .filter(table -> copies(table).size() > 1)
        .findFirst()
        .ifPresent(
            table -> {
              throw ErrorCode.FUNCTION_WRITES_COPY.because(
                  "%s may write reference table %s".formatted(call.called(), table));
            });
  }

  /** All shards on which rows of sharded tables may be that are named. */
  private Set<ShardId> groupShards() {
    Set<ShardId> shards = new HashSet<>();
    named()
        .forEach(
            (table, placement) -> {
              if (placement instanceof Placement.Sharded) {
                shards.addAll(TopologyCheck.shardsOf(placement));
              }
            });
    return shards;
  }

  /** The declared tables whose names occur. */
  private Map<TableName, Placement> named() {
    Set<String> names =
        IntStream.range(0, input.tokens().size())
            .filter(i -> input.tokens().kind(i).isName())
            .mapToObj(i -> Names.of(input.tokens(), i))
            .collect(Collectors.toSet());
    return input.database().tables().entrySet().stream()
        .filter(e -> names.contains(e.getKey().name()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  // --- what belongs to tables ------------------------------------------------------------------

  private void attached(StatementFacts facts) {
    Map<TableName, List<AttachedCode>> attached = input.names().userCode().attached();
    if (attached.isEmpty() || input.context().localFunctions()) {
      return;
    }
    named()
        .forEach(
            (table, placement) -> {
              for (AttachedCode code : attached.getOrDefault(table, List.of())) {
                if (!code.onWrites() || facts.mayWrite()) {
                  shardsRows(elsewhere(code.reach(), placement), TopologyCheck.shardsOf(placement))
                      .ifPresent(
                          why -> {
                            throw reads("%s of %s %s".formatted(code.what(), table, why));
                          });
                }
              }
            });
  }

  /** Without the tables that are whole on the one shard of an unsharded table. */
  private static Reach elsewhere(Reach reach, Placement placement) {
    if (!(placement instanceof Placement.Unsharded one)) {
      return reach;
    }
    Map<TableName, ShardId> others =
        reach.onOne().entrySet().stream()
            .filter(e -> !e.getValue().equals(one.shard()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    return new Reach(
        false, reach.spread(), others, reach.copies(), reach.written(), reach.unseen());
  }

  private Set<ShardId> copies(TableName table) {
    return TopologyCheck.shardsOf(input.database().placement(table));
  }

  private Set<ShardId> marked(TableName table) {
    return input.context().state().copies().of(new CopiedTable(input.context().database(), table));
  }

  private static String listed(Set<TableName> tables) {
    return tables.stream().map(TableName::toString).collect(Collectors.joining(", "));
  }
}
