package org.pgconcord.router.analyse;

import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * All relations that a statement reads, at every level.
 *
 * @param sharded appearances of sharded tables
 * @param colocated true when the outermost block alone reads sharded tables, and each of its rows
 *     comes from rows of one shard: it can be sent to all shards and the answers concatenated
 * @param byShard the same with subqueries in expressions: what each of them sees for a row of the
 *     outermost block comes from that row's shard too, or from reference tables
 * @param anchors the tokens of those sharded tables of such a block whose row decides the shard of
 *     all rows that are joined with it
 * @param roots the same where subqueries in expressions are looked at, too
 * @param follows for the token of each sharded table, at every level, those of the tables whose
 *     rows that matter to one row of it are on that row's shard: its neighbours in FROM, and those
 *     of subqueries
 * @param free the numbers of the blocks that see no names of a block around them
 * @param references reference tables
 * @param copies appearances of reference tables
 * @param unsharded declared tables that are on one shard
 * @param local the shards of unsharded and undeclared tables
 * @param undeclared true when a relation is read that no document names
 * @param lookups lookup tables of indexes
 * @param system true when a relation of the system's own schema is read
 * @param misplaced undeclared relations whose rows are, or come from, other shards than their own
 * @param unusable declared sharded tables that the shards do not have as declared
 */
public record ReadFacts(
    List<TableUse> sharded,
    boolean colocated,
    boolean byShard,
    Set<Integer> anchors,
    Set<Integer> roots,
    Map<Integer, Set<Integer>> follows,
    Set<Integer> free,
    Set<DeclaredTable> references,
    List<TablePlace> copies,
    Set<TableName> unsharded,
    NavigableSet<ShardId> local,
    boolean undeclared,
    Set<TableName> lookups,
    boolean system,
    Set<TableName> misplaced,
    Set<TableName> unusable) {
  public ReadFacts {
    sharded = List.copyOf(sharded);
    copies = List.copyOf(copies);
    anchors = Set.copyOf(anchors);
    roots = Set.copyOf(roots);
    follows = Map.copyOf(follows);
    free = Set.copyOf(free);
    references = Set.copyOf(references);
    unsharded = Set.copyOf(unsharded);
    lookups = Set.copyOf(lookups);
    misplaced = Set.copyOf(misplaced);
    unusable = Set.copyOf(unusable);
  }

  /** The same of some of the sharded tables. */
  public ReadFacts withSharded(List<TableUse> some) {
    return new ReadFacts(
        some,
        colocated,
        byShard,
        anchors,
        roots,
        follows,
        free,
        references,
        copies,
        unsharded,
        local,
        undeclared,
        lookups,
        system,
        misplaced,
        unusable);
  }

  /** True when every sharded table is pinned. */
  public boolean pinned() {
    return sharded.stream().allMatch(TableUse::pinned);
  }
}
