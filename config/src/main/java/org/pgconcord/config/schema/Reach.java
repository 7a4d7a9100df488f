package org.pgconcord.config.schema;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * What code of users may touch, by the names in its body and in the bodies of all that it calls.
 * More than it does touch, at times: a column that has a table's name counts as the table.
 *
 * @param everywhere it is a plain function, IMMUTABLE or STABLE, the same on all shards, and
 *     touches no table: it gives the same answer on each
 * @param spread tables and views whose rows are on several shards
 * @param onOne tables whose rows are all on one shard
 * @param copies reference tables
 * @param written reference tables that it may write
 * @param unseen why its body does not tell what it touches; empty when it does
 */
public record Reach(
    boolean everywhere,
    Set<TableName> spread,
    Map<TableName, ShardId> onOne,
    Set<TableName> copies,
    Set<TableName> written,
    Optional<String> unseen) {
  /** Touches no table and changes nothing. */
  public static final Reach EVERYWHERE =
      new Reach(true, Set.of(), Map.of(), Set.of(), Set.of(), Optional.empty());

  /** Touches no table, but may be another thing from call to call or from shard to shard. */
  public static final Reach NOTHING =
      new Reach(false, Set.of(), Map.of(), Set.of(), Set.of(), Optional.empty());

  public Reach {
    spread = Set.copyOf(spread);
    onOne = Map.copyOf(onOne);
    copies = Set.copyOf(copies);
    written = Set.copyOf(written);
  }

  /** What either touches. */
  public Reach with(Reach other) {
    if (equals(other)) {
      return this;
    }
    Map<TableName, ShardId> places = new HashMap<>(onOne);
    places.putAll(other.onOne);
    return new Reach(
        everywhere && other.everywhere,
        union(spread, other.spread),
        places,
        union(copies, other.copies),
        union(written, other.written),
        unseen.or(other::unseen));
  }

  /** The same of code that may change from call to call, or differs between shards. */
  public Reach notEverywhere() {
    return everywhere ? new Reach(false, spread, onOne, copies, written, unseen) : this;
  }

  /** Wherever it runs, it sees the same. */
  public boolean touchesNothing() {
    return spread.isEmpty() && onOne.isEmpty() && copies.isEmpty() && unseen.isEmpty();
  }

  private static Set<TableName> union(Set<TableName> one, Set<TableName> other) {
    return Stream.concat(one.stream(), other.stream()).collect(Collectors.toSet());
  }
}
