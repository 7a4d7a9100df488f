package org.pgconcord.daemon.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows as psql's aligned format shows them; line breaks inside a value are kept on one line. */
public final class AlignedTable {
  private final List<String> headers;
  private final List<Boolean> toTheRight;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param toTheRight per column: numbers stand at the right
   */
  public AlignedTable(List<String> headers, List<Boolean> toTheRight) {
    this.headers = List.copyOf(headers);
    this.toTheRight = List.copyOf(toTheRight);
  }

  /** Adds a row; null shows as nothing, as in psql. */
  public void add(List<@Nullable String> values) {
    rows.add(values.stream().map(AlignedTable::shown).toList());
  }

  public int rowCount() {
    return rows.size();
  }

  /** The table's lines, header and rule first, without the count of rows. */
  public List<String> lines() {
    int[] widths = new int[headers.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          Math.max(
              width(headers.get(i)),
              rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0));
    }
    List<String> lines = new ArrayList<>();
    lines.add(headerLine(widths));
    lines.add(rule(widths));
    rows.forEach(row -> lines.add(rowLine(row, widths)));
    return lines;
  }

  /** As psql closes a result: {@code (2 rows)}. */
  public String countLine() {
    return rows.size() == 1 ? "(1 row)" : "(" + rows.size() + " rows)";
  }

  private String headerLine(int[] widths) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      int gap = widths[i] - width(headers.get(i));
      cells.add(" " + " ".repeat(gap / 2) + headers.get(i) + " ".repeat(gap - gap / 2) + " ");
    }
    return String.join("|", cells).stripTrailing();
  }

  private static String rule(int[] widths) {
    return java.util.Arrays.stream(widths)
        .mapToObj(width -> "-".repeat(width + 2))
        .collect(Collectors.joining("+"));
  }

  private String rowLine(List<String> row, int[] widths) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      String gap = " ".repeat(widths[i] - width(row.get(i)));
      cells.add(" " + (toTheRight.get(i) ? gap + row.get(i) : row.get(i) + gap) + " ");
    }
    return String.join("|", cells).stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String shown(@Nullable String value) {
    return value == null
        ? ""
        : value.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t");
  }
}
