package org.pgconcord.verifier.sum;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupIndex;

/**
 * The sum of an owner table, piece by piece, so that it can be seen how far it is. The pieces are
 * ranges of pages that cover every row's place, and all are read in one snapshot, in which a row
 * has one place: the pieces' sum is the table's. The last piece has no end, for rows on pages that
 * the table got after its size was asked for.
 *
 * <p>PostgreSQL reads a range of pages without reading the others in an ordinary table only; any
 * other is one piece.
 */
public final class TableSum {
  private static final long PIECE_PAGES = 256;
  private static final long MOST_PIECES = 100;

  private static final String SIZE =
      """
      SELECT CASE WHEN c.relkind = 'r' AND a.amname = 'heap'
                  THEN pg_catalog.pg_relation_size(c.oid)
                       / pg_catalog.current_setting('block_size')::bigint
                  ELSE 0 END,
             greatest(c.reltuples, 0)::bigint
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam
       WHERE c.oid = pg_catalog.to_regclass(?)
      """;

  private record Size(long pages, long rows) {}

  /** Is told of the rows so far and of how many there are, about. */
  @FunctionalInterface
  public interface Sink {
    void rows(long rows, long estimated);
  }

  private TableSum() {}

  /** The sum of the owner table's entries in the snapshot's session. */
  public static Digest owner(Connection snapshot, LookupIndex index, Sums sums, Sink sink)
      throws SQLException {
    Size size = size(snapshot, index.gsi().owner());
    long step = Math.max(PIECE_PAGES, size.pages / MOST_PIECES + 1);
    Digest whole = Digest.EMPTY;
    for (long from = 0; from == 0 || from < size.pages; from += step) {
      boolean last = from + step >= size.pages;
      EntrySet piece = EntrySet.ownerPages(index, from, last ? Long.MAX_VALUE : from + step);
      whole = whole.plus(sums.parts(snapshot, piece, List.of()).get(0));
      long done = Math.min(from + step, Math.max(1, size.pages));
      long byPages = whole.count() * Math.max(1, size.pages) / done;
      sink.rows(whole.count(), last ? whole.count() : Math.max(size.rows, byPages));
    }
    return whole;
  }

  private static Size size(Connection snapshot, TableName table) throws SQLException {
    try (PreparedStatement query = snapshot.prepareStatement(SIZE)) {
      query.setString(1, table.quoted());
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? new Size(row.getLong(1), row.getLong(2)) : new Size(0, 0);
      }
    }
  }
}
