package org.pgconcord.backfill.load;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.BuildFindings.DuplicateKey;
import org.pgconcord.backfill.BuildStep;
import org.pgconcord.backfill.Sessions;
import org.pgconcord.backfill.load.LoadClaim.Loaded;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;

/** Loads one range in one transaction, directly or through a staging table. */
final class RangeLoad {
  private static final String UNIQUE_VIOLATION = "23505";

  private final LookupIndex index;
  private final LoadClaim claim;
  private final DuplicateOwners duplicateOwners;
  private final BuildFindings findings;
  private final BuildStep.Hook hook;
  private final String lookup;
  private final String sameIdentity;
  private final String columns;

  RangeLoad(
      LookupIndex index,
      LoadClaim claim,
      Sessions sessions,
      BuildFindings findings,
      BuildStep.Hook hook) {
    this.index = index;
    this.claim = claim;
    this.duplicateOwners = new DuplicateOwners(index, sessions);
    this.findings = findings;
    this.hook = hook;
    this.lookup = index.gsi().lookup().quoted();
    this.columns =
        index.columns().stream().map(IndexColumn::quoted).collect(Collectors.joining(", "));
    this.sameIdentity =
        index.identity().stream()
            .map(c -> "l." + c.quoted() + " = s." + c.quoted())
            .collect(Collectors.joining(" AND "));
  }

  /** Makes the merge of a range anew: a range that is loaded twice is read twice. */
  @FunctionalInterface
  interface MergeSource {
    RangeMerge open() throws IOException;
  }

  /** Loads and commits; returns the merge that was loaded, with its counts. */
  RangeMerge load(Connection session, int range, MergeSource source)
      throws SQLException, IOException {
    try {
      return attempt(session, range, source.open(), this::direct);
    } catch (SQLException e) {
      session.rollback();
      if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw e;
      }
      return attempt(session, range, source.open(), this::staged);
    }
  }

  private interface Way {
    long load(Connection transaction, RangeMerge merge) throws SQLException, IOException;
  }

  private RangeMerge attempt(Connection session, int range, RangeMerge merge, Way way)
      throws SQLException, IOException {
    try (Statement statement = session.createStatement()) {
      // A range lost with a crash of the server is loaded again: its row is lost with it.
      statement.execute("SET LOCAL synchronous_commit = off");
    }
    claim.hold(session);
    long rows = way.load(session, merge);
    if (merge.duplicates().count() > 0) {
      List<DuplicateKey> keys = duplicateOwners.name(session, merge.duplicates());
      keys.forEach(duplicate -> findings.duplicate(index.name(), duplicate));
    }
    claim.addRange(session, range, new Loaded(rows, merge.duplicates().count()));
    hook.reached(BuildStep.RANGE_COPIED);
    session.commit();
    hook.reached(BuildStep.RANGE_COMMITTED);
    return merge;
  }

  private long direct(Connection transaction, RangeMerge merge) throws SQLException, IOException {
    return copy(transaction, merge, lookup);
  }

  /**
   * Somebody else's entry has a key of this range. While a build fills the table it is the only
   * writer by right, so what it brings is the truth and what is there gives way.
   */
  private long staged(Connection transaction, RangeMerge merge) throws SQLException, IOException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute(
          "CREATE TEMP TABLE pgconcord_staging ON COMMIT DROP AS SELECT %s FROM %s LIMIT 0"
              .formatted(columns, lookup));
      copy(transaction, merge, "pg_temp.pgconcord_staging");
      statement.execute(
          "DELETE FROM %s l USING pg_temp.pgconcord_staging s WHERE %s"
              .formatted(lookup, sameIdentity));
      return statement.executeUpdate(
          "INSERT INTO %s (%s) SELECT %s FROM pg_temp.pgconcord_staging"
              .formatted(lookup, columns, columns));
    }
  }

  private long copy(Connection transaction, RangeMerge merge, String table)
      throws SQLException, IOException {
    try (CopyInStream out = new CopyInStream(transaction, table + " (" + columns + ")")) {
      long rows = merge.writeTo(out);
      out.finish();
      return rows;
    }
  }
}
