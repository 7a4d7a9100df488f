package org.pgconcord.verifier.reference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.reference.CopyWriter.Kind;
import org.pgconcord.verifier.reference.RowMerge.Row;
import org.pgconcord.verifier.sum.PinnedSettings;

/**
 * Makes all copies of a reference table equal to one of them, by difference, while every writer is
 * kept away (docs/decisions/0008).
 *
 * <p>Each copy is read beside the source in key order, once to count, then once for each kind of
 * change that is needed: deletions first, so that a value of another unique key is free when it is
 * wanted, then updates, then insertions. All of it is one transaction of that copy, compared once
 * more before it commits; a crash leaves each copy as it was or as it should be. Rows that differ
 * are updated and never deleted and inserted, for a foreign key may answer a deletion by deleting
 * rows of other tables; where rows have to be deleted such a key is a reason to refuse.
 */
public final class ReferenceRepair {
  private static final String CASCADES =
      "SELECT conname, conrelid::regclass::text FROM pg_catalog.pg_constraint WHERE contype = 'f'"
          + " AND confrelid = pg_catalog.to_regclass(?) AND confdeltype IN ('c', 'n', 'd')"
          + " ORDER BY 1 LIMIT 1";
  private static final int SAMPLES = 20;

  private final SettlementRunner.Sessions sessions;

  /**
   * @param sessions opens sessions of the service role, in the table's logical database
   */
  public ReferenceRepair(SettlementRunner.Sessions sessions) {
    this.sessions = sessions;
  }

  /**
   * Repairs, or with {@code dryRun} lists what a repair would change.
   *
   * @param copies all shards with a copy
   * @param source one of them
   * @param repaired is told when all copies are equal, before the locks are let go
   * @throws org.pgconcord.config.error.ConcordException {@code reference/busy}, {@code
   *     reference/repair-cascades}, {@code reference/repair-failed}
   */
  public RepairReport repair(
      String database,
      TableName table,
      List<ShardId> copies,
      ShardId source,
      boolean dryRun,
      Runnable repaired) {
    try (CopyLocks locks =
        CopyLocks.take(
            sessions,
            database,
            table,
            copies.stream().sorted().toList(),
            ReferenceVerifier.LOCK_LIMIT)) {
      Map<ShardId, Connection> open = locks.copies();
      for (Connection connection : open.values()) {
        PinnedSettings.pin(connection);
      }
      CopyTable shape = ReferenceVerifier.shape(table, open);
      if (!shape.keyed()) {
        throw ErrorCode.REFERENCE_REPAIR_FAILED.because(
            "table %s has no primary key, by which rows could be told apart".formatted(table));
      }
      List<CopyRepair> done = new ArrayList<>();
      for (ShardId copy : open.keySet()) {
        done.add(copy.equals(source) ? of(source) : one(shape, open, source, copy, dryRun));
      }
      if (!dryRun) {
        repaired.run();
      }
      return new RepairReport(
          database + "." + table,
          source.uid(),
          dryRun,
          done.stream().anyMatch(copy -> !copy.unchanged()),
          done);
    } catch (SQLException e) {
      throw ErrorCode.REFERENCE_REPAIR_FAILED
          .because("the copies of %s cannot be made equal: %s".formatted(table, e.getMessage()))
          .withCause(e);
    }
  }

  private static CopyRepair of(ShardId source) {
    return new CopyRepair(source.uid(), true, 0, 0, 0, List.of());
  }

  private static CopyRepair one(
      CopyTable table, Map<ShardId, Connection> open, ShardId source, ShardId copy, boolean dryRun)
      throws SQLException {
    Connection from = java.util.Objects.requireNonNull(open.get(source));
    Connection to = java.util.Objects.requireNonNull(open.get(copy));
    Tally found = new Tally(table, copy);
    new RowMerge(table).visit(from, to, found);
    CopyRepair change = found.result();
    if (!dryRun && !change.unchanged()) {
      requireNoCascade(table, to, change);
      apply(table, from, to, change);
      Tally left = new Tally(table, copy);
      new RowMerge(table).visit(from, to, left);
      if (!left.result().unchanged()) {
        throw ErrorCode.REFERENCE_REPAIR_FAILED.because(
            "the copy on %s does not take the rows as they are on %s: a trigger or rule changes them"
                .formatted(copy, source));
      }
      to.commit();
    }
    return change;
  }

  private static void apply(CopyTable table, Connection from, Connection to, CopyRepair change)
      throws SQLException {
    if (change.deleted() > 0) {
      write(table, from, to, Kind.DELETE);
    }
    if (change.updated() > 0) {
      write(table, from, to, Kind.UPDATE);
    }
    if (change.inserted() > 0) {
      write(table, from, to, Kind.INSERT);
    }
  }

  private static void write(CopyTable table, Connection from, Connection to, Kind kind)
      throws SQLException {
    CopyWriter writer = CopyWriter.of(to, table, kind);
    new RowMerge(table)
        .visit(
            from,
            to,
            (source, target) -> {
              if (source != null && target != null) {
                if (kind == Kind.UPDATE && !source.values().equals(target.values())) {
                  writer.add(source);
                }
              } else if (source != null && kind == Kind.INSERT) {
                writer.add(source);
              } else if (target != null && kind == Kind.DELETE) {
                writer.add(target);
              }
            });
    writer.flush();
  }

  private static void requireNoCascade(CopyTable table, Connection to, CopyRepair change)
      throws SQLException {
    if (change.deleted() == 0) {
      return;
    }
    try (PreparedStatement query = to.prepareStatement(CASCADES)) {
      query.setString(1, table.name().quoted());
      try (ResultSet row = query.executeQuery()) {
        if (row.next()) {
          throw ErrorCode.REFERENCE_REPAIR_CASCADES.because(
              "%d rows of %s on %s would be deleted, to which constraint %s of %s answers by changing other rows"
                  .formatted(
                      change.deleted(),
                      table.name(),
                      change.shard(),
                      row.getString(1),
                      row.getString(2)));
        }
      }
    }
  }

  /** Counts and names what differs. */
  private static final class Tally implements RowMerge.Visitor {
    private final CopyTable table;
    private final ShardId shard;
    private final List<RowDifference> samples = new ArrayList<>();
    private long inserted;
    private long updated;
    private long deleted;

    Tally(CopyTable table, ShardId shard) {
      this.table = table;
      this.shard = shard;
    }

    @Override
    public void row(@Nullable Row source, @Nullable Row target) {
      if (target == null && source != null) {
        inserted++;
        sample(inserted, RowDifference.Kind.MISSING, source, List.of());
      } else if (source == null && target != null) {
        deleted++;
        sample(deleted, RowDifference.Kind.SURPLUS, target, List.of());
      } else if (source != null && target != null && !source.values().equals(target.values())) {
        updated++;
        sample(updated, RowDifference.Kind.DIFFERENT, source, differing(source, target));
      }
    }

    private List<String> differing(Row source, Row target) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < table.columns().size(); i++) {
        if (!java.util.Objects.equals(source.values().get(i), target.values().get(i))) {
          names.add(table.columns().get(i));
        }
      }
      return names;
    }

    private void sample(long count, RowDifference.Kind kind, Row row, List<String> columns) {
      if (count <= SAMPLES) {
        List<String> key =
            table.key().stream()
                .map(k -> String.valueOf(row.values().get(table.columns().indexOf(k))))
                .toList();
        samples.add(new RowDifference(kind, key, columns));
      }
    }

    CopyRepair result() {
      return new CopyRepair(shard.uid(), false, inserted, updated, deleted, samples);
    }
  }
}
