package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.TableVersion;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.schema.TableTrace;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees DDL on the tables of an index: the owner table on each owner shard, the lookup table on each
 * of its shards. PROTOCOL's gate wants a report that is later than the last DDL.
 *
 * <h2>Why no DDL passes between a report and the gate</h2>
 *
 * <p><b>Invariant.</b> A report carries each table's version as it was read before the
 * verification's first snapshot; the gate reads the versions again and compares. Equal versions
 * mean equal digests of the catalog rows with the transactions that wrote them, so no DDL that
 * leaves a row committed in between. That holds without any look in between and over restarts,
 * since the report is stored.
 *
 * <p><b>An ALTER that is undone</b> leaves its rows written by another transaction: another digest.
 * <b>One that leaves no row</b> (an index made and dropped) is seen by the looks in between, every
 * few seconds; a version only grows, so coming back to the earlier digest does not bring back the
 * earlier version. <b>During the verification</b>: the version is the one before it began, so the
 * gate finds another. <b>In a transaction that is still open at the gate</b>: it holds the table
 * locked and has not happened yet; it commits before or after {@code write_only}, where the second
 * verification and the second gate find it, or after {@code enabled}, like any later DDL.
 *
 * <p><b>Two looks at once</b> may note digests in the wrong order. They are serialised here; were
 * they not, the version would grow once more and a verification be asked for in vain. No order of
 * looks hides a change, since the gate's own look comes last and is compared by what it noted.
 *
 * <p>Any thread.
 */
final class TableWatch {
  private static final Logger log = LoggerFactory.getLogger(TableWatch.class);

  private final EngineServices services;
  private final Map<String, Long> logged = new TreeMap<>();

  TableWatch(EngineServices services) {
    this.services = services;
  }

  /** Place -> the table's version now; empty where the shard does not answer. */
  synchronized Map<String, Optional<TableVersion>> look(LookupIndex index) {
    Map<String, Optional<TableVersion>> versions = new TreeMap<>();
    for (ShardId shard : index.ownerShards()) {
      look(index, shard, index.gsi().owner(), versions);
    }
    for (ShardId shard : index.lookupShards()) {
      look(index, shard, index.gsi().lookup(), versions);
    }
    return versions;
  }

  /** The marks for a verification's report; tables that could not be read are not in it. */
  Map<String, String> marks(LookupIndex index) {
    return look(index).values().stream()
        .flatMap(Optional::stream)
        .collect(Collectors.toMap(TableVersion::place, TableVersion::mark));
  }

  private void look(
      LookupIndex index,
      ShardId shard,
      TableName table,
      Map<String, Optional<TableVersion>> versions) {
    String place = shard.uid() + "/" + table;
    try (Connection connection = services.sessions().open(shard)) {
      TableTrace trace = TableTrace.read(connection, table);
      TableVersion version = services.catalog().noteTable(index.name(), shard, table, trace);
      versions.put(place, Optional.of(version));
      tell(index, version);
    } catch (SQLException | ConcordException e) {
      log.debug("table not looked at place={}", place, e);
      versions.put(place, Optional.empty());
    }
  }

  private void tell(LookupIndex index, TableVersion version) {
    Long before = logged.put(version.place(), version.version());
    if (before != null && before != version.version()) {
      log.info(
          "table altered gsi={} shard={} table={} version={} lsn={}",
          index.name(),
          version.shard(),
          version.table(),
          version.version(),
          version.at());
    }
  }
}
