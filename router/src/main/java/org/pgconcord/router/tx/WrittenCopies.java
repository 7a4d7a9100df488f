package org.pgconcord.router.tx;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.tx.Outcomes.Outcome;

/**
 * The reference tables that a transaction has written, and what an uneven end of it says about
 * their copies. Pure.
 *
 * <p>A leader commits after all other copies of its table, and after everything that is no leader:
 * its lock keeps the next writer away until then. Several leaders commit in descending order of
 * their uids; as a leader has the lowest uid of its copies, it comes after them whichever tables
 * they lead.
 */
final class WrittenCopies {
  private final Map<CopiedTable, Copies> tables = new LinkedHashMap<>();

  private record Copies(ShardId leader, Set<ShardId> others) {
    /** Those that are not known to have ended as the leader has. */
    Set<ShardId> uneven(Outcomes outcomes) {
      return others.stream()
          .filter(outcomes::has)
          .filter(copy -> !outcomes.sameKnown(leader, copy))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  void add(CopiedTable table, ShardId leader, List<ShardId> others) {
    tables.put(table, new Copies(leader, Set.copyOf(others)));
  }

  void clear() {
    tables.clear();
  }

  Set<ShardId> leaders() {
    return tables.values().stream().map(Copies::leader).collect(Collectors.toSet());
  }

  /** Table -> its copies besides the leader's. */
  Map<CopiedTable, Set<ShardId>> others() {
    Map<CopiedTable, Set<ShardId>> others = new LinkedHashMap<>();
    tables.forEach((table, copies) -> others.put(table, copies.others()));
    return others;
  }

  /** The order of their commits, one by one. */
  List<BackendConnection> inOrder(List<BackendConnection> mains) {
    Set<ShardId> leaders = leaders();
    List<BackendConnection> order = new ArrayList<>(mains);
    order.removeIf(main -> leaders.contains(main.shard()));
    mains.stream()
        .filter(main -> leaders.contains(main.shard()))
        .sorted(Comparator.comparing(BackendConnection::shard).reversed())
        .forEach(order::add);
    return order;
  }

  /** Table -> copies to be marked after a commit that has failed. */
  Map<CopiedTable, Set<ShardId>> uneven(Outcomes outcomes) {
    Map<CopiedTable, Set<ShardId>> uneven = new LinkedHashMap<>();
    if (outcomes.any(Outcome.COMMITTED) || outcomes.any(Outcome.UNKNOWN)) {
      tables.forEach(
          (table, copies) -> {
            Set<ShardId> marked = copies.uneven(outcomes);
            if (!marked.isEmpty()) {
              uneven.put(table, marked);
            }
          });
    }
    return uneven;
  }
}
