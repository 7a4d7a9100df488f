package org.pgconcord.verifier.reference;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two copies side by side in the order of their keys, a few rows of each in memory. Both sessions
 * are inside transactions that keep writers away; what is changed on the way is not seen, for a
 * cursor reads the moment of its opening.
 */
final class RowMerge {
  private static final int FETCH = 1_000;

  private final CopyTable table;

  RowMerge(CopyTable table) {
    this.table = table;
  }

  /** One row as texts, in the order of {@link CopyTable#columns}; NULL as null. */
  record Row(String keyText, List<@Nullable String> values) {}

  /** Is told of each key; null where a side has no row. */
  interface Visitor {
    void row(@Nullable Row source, @Nullable Row target) throws SQLException;
  }

  void visit(Connection source, Connection target, Visitor visitor) throws SQLException {
    try (Side here = new Side(source);
        Side there = new Side(target)) {
      Row left = here.next();
      Row right = there.next();
      while (left != null || right != null) {
        int order = compare(left, right);
        visitor.row(order <= 0 ? left : null, order >= 0 ? right : null);
        left = order <= 0 ? here.next() : left;
        right = order >= 0 ? there.next() : right;
      }
    }
  }

  private static int compare(@Nullable Row left, @Nullable Row right) {
    if (left == null || right == null) {
      return left == null ? 1 : -1;
    }
    return Arrays.compareUnsigned(left.keyText().getBytes(UTF_8), right.keyText().getBytes(UTF_8));
  }

  /** One copy, read through a cursor. */
  private final class Side implements AutoCloseable {
    private final Statement statement;
    private final ResultSet rows;

    Side(Connection connection) throws SQLException {
      statement = connection.createStatement();
      statement.setFetchSize(FETCH);
      rows = statement.executeQuery(table.rowsInOrder());
    }

    @Nullable Row next() throws SQLException {
      if (!rows.next()) {
        return null;
      }
      List<@Nullable String> values = new ArrayList<>();
      for (int i = 0; i < table.columns().size(); i++) {
        values.add(rows.getString(i + 2));
      }
      return new Row(rows.getString(1), values);
    }

    @Override
    public void close() throws SQLException {
      statement.close();
    }
  }
}
