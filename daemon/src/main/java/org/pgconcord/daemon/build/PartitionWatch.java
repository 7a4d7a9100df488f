package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.catalog.PartitionRows;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.schema.Partitions;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds partitions that came into an index's owner table with rows in them.
 *
 * <p>ATTACH PARTITION writes no row: the stream is silent about those that come with it, so they
 * have no entries, and a read through the index would miss them. The catalog remembers the leaves
 * that are known, each with the transactions that attached it, so that a partition is also found
 * when it came while no daemon ran, or was detached, changed and attached again. One that is new
 * and has only rows of later transactions was created empty; its rows came through the stream.
 *
 * <p>The first look at an index only notes what is there: it comes before the verification that
 * enables it.
 *
 * <p>Detached and truncated partitions leave entries without rows, which are never an answer; the
 * sweep removes them.
 */
final class PartitionWatch {
  private static final Logger log = LoggerFactory.getLogger(PartitionWatch.class);

  private final EngineServices services;

  PartitionWatch(EngineServices services) {
    this.services = services;
  }

  /**
   * A look at one shard.
   *
   * @param leaves all that there are
   * @param filled the new ones that came with rows
   */
  record Look(ShardId shard, Set<String> leaves, List<String> filled) {}

  /** Notes new leaves without rows of their own; the looks that found others, to be settled. */
  List<Look> look(LookupIndex index) {
    List<Look> found = new ArrayList<>();
    for (ShardId shard : index.ownerShards()) {
      try (Connection connection = services.sessions().open(shard)) {
        Look look = look(connection, index, shard);
        if (!look.filled().isEmpty()) {
          found.add(look);
        }
      } catch (SQLException | ConcordException e) {
        log.debug("partitions not looked at gsi={} shard={}", index.name(), shard, e);
      }
    }
    return found;
  }

  private Look look(Connection connection, LookupIndex index, ShardId shard) throws SQLException {
    PartitionRows rows = services.catalog().partitions();
    Map<String, Partitions.Leaf> leaves = Partitions.read(connection, index.gsi().owner());
    Set<String> known = rows.known(index.name(), shard);
    List<String> filled = new ArrayList<>();
    for (Map.Entry<String, Partitions.Leaf> leaf : leaves.entrySet()) {
      boolean isNew = !known.isEmpty() && !known.contains(leaf.getKey());
      if (isNew && Partitions.cameWithRows(connection, leaf.getValue())) {
        filled.add(leaf.getValue().relation());
      }
    }
    if (filled.isEmpty() && !known.equals(leaves.keySet())) {
      rows.store(index.name(), shard, leaves.keySet());
    }
    return new Look(shard, Set.copyOf(leaves.keySet()), filled);
  }

  /** What was found is no news any more. */
  void settled(LookupIndex index, List<Look> looks) {
    looks.forEach(
        look -> services.catalog().partitions().store(index.name(), look.shard(), look.leaves()));
  }
}
