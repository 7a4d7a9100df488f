package org.pgconcord.verifier.reference;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.VerifyOptions;
import org.pgconcord.verifier.sum.Digest;

/** Compares all copies of a reference table and names what differs. Changes no row. */
public final class ReferenceVerifier {
  /** For each lock of a table's copies. */
  static final Duration LOCK_LIMIT = Duration.ofSeconds(10);

  private final SettlementRunner.Sessions sessions;
  private final Executor threads;
  private final Clock clock;
  private final SecureRandom random;
  private final VerifyOptions options;

  /**
   * @param sessions opens sessions of the service role, in the table's logical database
   * @param threads reads copies side by side
   */
  public ReferenceVerifier(
      SettlementRunner.Sessions sessions,
      Executor threads,
      Clock clock,
      SecureRandom random,
      VerifyOptions options) {
    this.sessions = sessions;
    this.threads = threads;
    this.clock = clock;
    this.random = random;
    this.options = options;
  }

  /**
   * Compares the copies.
   *
   * @param copies the shards that have one
   * @throws org.pgconcord.config.error.ConcordException {@code verify/failed} when a copy cannot be
   *     read or has other columns
   */
  public ReferenceReport verify(
      String database, TableName table, List<ShardId> copies, long topologyRevision)
      throws InterruptedException {
    Instant started = clock.instant();
    Map<ShardId, Connection> open = new TreeMap<>();
    try {
      for (ShardId shard : copies.stream().sorted().toList()) {
        open.put(shard, sessions.open(shard));
      }
      return compare(database, table, open, topologyRevision, started);
    } catch (SQLException e) {
      throw failed(table, e);
    } finally {
      open.values().forEach(ReferenceVerifier::close);
    }
  }

  /**
   * Compares the copies while every writer is kept away, so that nothing is under way.
   *
   * @param judged is told the result before the locks are let go: marks that it sets or clears are
   *     true then
   * @throws org.pgconcord.config.error.ConcordException {@code verify/failed}; {@code
   *     reference/busy} when the locks cannot be had
   */
  public ReferenceReport verifyLocked(
      String database,
      TableName table,
      List<ShardId> copies,
      long topologyRevision,
      Consumer<ReferenceReport> judged)
      throws InterruptedException {
    CopyLocks locks = locks(database, table, copies);
    try {
      ReferenceReport report = verify(database, table, copies, topologyRevision);
      judged.accept(report);
      return report;
    } finally {
      locks.close();
    }
  }

  private CopyLocks locks(String database, TableName table, List<ShardId> copies) {
    try {
      return CopyLocks.take(
          sessions, database, table, copies.stream().sorted().toList(), LOCK_LIMIT);
    } catch (SQLException e) {
      throw failed(table, e);
    }
  }

  private ReferenceReport compare(
      String database,
      TableName table,
      Map<ShardId, Connection> open,
      long topologyRevision,
      Instant started)
      throws SQLException, InterruptedException {
    ShardId leader = open.keySet().iterator().next();
    Connection leading = open.values().iterator().next();
    CopyTable shape = shape(table, open);
    CopyReader reader = new CopyReader(shape, random);
    Map<ShardId, Map<Integer, Digest>> buckets = buckets(table, reader, open);
    Map<Integer, Digest> leaderBuckets = buckets.getOrDefault(leader, Map.of());
    List<CopyReport> reports = new ArrayList<>();
    boolean complete = true;
    for (Map.Entry<ShardId, Connection> each : open.entrySet()) {
      CopyComparison comparison =
          new CopyComparison(shape, reader, options, leading, each.getValue());
      reports.add(
          comparison.compare(
              each.getKey().uid(), leaderBuckets, buckets.getOrDefault(each.getKey(), Map.of())));
      complete &= comparison.complete();
    }
    byte[] id = new byte[8];
    random.nextBytes(id);
    return new ReferenceReport(
        HexFormat.of().formatHex(id),
        database + "." + table,
        topologyRevision,
        started,
        clock.instant(),
        leader.uid(),
        reports,
        complete);
  }

  /** The leading copy's columns and key, which all others must have. */
  static CopyTable shape(TableName table, Map<ShardId, Connection> open) throws SQLException {
    CopyTable shape = null;
    Set<Integer> versions = new HashSet<>();
    for (Map.Entry<ShardId, Connection> each : open.entrySet()) {
      versions.add(each.getValue().getMetaData().getDatabaseMajorVersion());
      if (versions.size() > 1) {
        throw ErrorCode.VERIFY_FAILED.because(
            "the copies of " + table + " are on servers of different major versions");
      }
      CopyTable here = CopyTable.read(each.getValue(), table);
      if (shape == null) {
        shape = here;
      } else if (!shape.fits(here)) {
        throw ErrorCode.VERIFY_FAILED.because(
            "the copy of " + table + " on shard " + each.getKey() + " has other columns or keys");
      }
    }
    if (shape == null) {
      throw ErrorCode.VERIFY_FAILED.because("table " + table + " has no copies");
    }
    return shape;
  }

  /** All copies' sums, read at about one moment. */
  private Map<ShardId, Map<Integer, Digest>> buckets(
      TableName table, CopyReader reader, Map<ShardId, Connection> open) {
    Map<ShardId, CompletableFuture<Map<Integer, Digest>>> reads = new TreeMap<>();
    open.forEach(
        (shard, connection) ->
            reads.put(
                shard,
                CompletableFuture.supplyAsync(
                    () -> {
                      try {
                        return reader.buckets(connection);
                      } catch (SQLException e) {
                        throw new CompletionException(e);
                      }
                    },
                    threads)));
    Map<ShardId, Map<Integer, Digest>> buckets = new TreeMap<>();
    try {
      reads.forEach((shard, read) -> buckets.put(shard, read.join()));
    } catch (CompletionException e) {
      throw e.getCause() instanceof SQLException cause ? failed(table, cause) : e;
    }
    return buckets;
  }

  private static RuntimeException failed(TableName table, SQLException cause) {
    return ErrorCode.VERIFY_FAILED
        .because("the copies of " + table + " cannot be compared: " + cause.getMessage())
        .withCause(cause);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is gone already.
    }
  }
}
