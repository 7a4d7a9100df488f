package org.pgconcord.router.plan;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.copy.CopyField;

/**
 * The INSERTs that store rows of a COPY FROM, many at once: each field is a parameter, so that its
 * column's own input or receive function reads it, as COPY's would; what has a type modifier is
 * then assigned as INSERT assigns it, which refuses what COPY refuses.
 *
 * @param columns those of the data, in its order
 * @param numbered columns that are not in the data and get numbers of the router's, behind the
 *     others
 * @param returning what is to be known of each row as it was stored, and how many columns that is
 */
public record RowInserts(
    TableName table,
    List<String> columns,
    List<NumberedColumn> numbered,
    String returning,
    int returned) {
  /** How the row is called in {@code returning}. */
  static final String ALIAS = "t";

  private static final int ROWS_MOST = 1_000;
  private static final int PARAMETERS_MOST = 65_535;

  public RowInserts {
    columns = List.copyOf(columns);
    numbered = List.copyOf(numbered);
  }

  /** How many rows one INSERT takes. */
  public int rowsMost() {
    return Math.min(ROWS_MOST, PARAMETERS_MOST / columns.size());
  }

  /** For one row, as an example. */
  String oneRow() {
    return sql(
        List.of(Collections.nCopies(columns.size(), new CopyField("", null, false))),
        List.of(Collections.nCopies(numbered.size(), 1L)));
  }

  /**
   * For these rows; their fields but the defaults are its parameters, in order.
   *
   * @param numbers of each row, one for each numbered column
   */
  public String sql(List<List<CopyField>> rows, List<List<Long>> numbers) {
    StringBuilder sql =
        new StringBuilder("INSERT INTO ")
            .append(table.quoted())
            .append(" AS " + ALIAS + " (")
            .append(
                Stream.concat(columns.stream(), numbered.stream().map(NumberedColumn::name))
                    .map(Identifiers::quote)
                    .collect(Collectors.joining(", ")))
            .append(") OVERRIDING SYSTEM VALUE VALUES ");
    int parameter = 0;
    for (int row = 0; row < rows.size(); row++) {
      char before = '(';
      sql.append(row == 0 ? "" : ", ");
      for (CopyField field : rows.get(row)) {
        sql.append(before);
        before = ',';
        if (field.isDefault()) {
          sql.append("DEFAULT");
        } else {
          sql.append('$').append(++parameter);
        }
      }
      for (long number : numbers.get(row)) {
        sql.append(before).append('\'').append(number).append('\'');
        before = ',';
      }
      sql.append(')');
    }
    return sql.append(returning).toString();
  }
}
