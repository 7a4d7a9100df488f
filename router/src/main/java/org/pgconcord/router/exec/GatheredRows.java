package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.Fetch;
import org.pgconcord.router.plan.GatheredType;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.wire.RowDescription;

/** The rows of one {@link Fetch}, column by column, and the subquery that stands for them. */
final class GatheredRows {
  private static final String ROWS = "pgconcord_rows";

  private final Fetch fetch;
  private final List<GatheredColumn> columns;
  private long count;
  private long bytes;

  private GatheredRows(Fetch fetch, List<GatheredColumn> columns) {
    this.fetch = fetch;
    this.columns = columns;
  }

  /**
   * {@code described}: the columns as a shard describes them.
   *
   * @throws org.pgconcord.config.error.ConcordException for a type that cannot be gathered
   */
  GatheredRows(Fetch fetch, RowDescription described) {
    this.fetch = fetch;
    if (described.fields().size() != fetch.columns().size()) {
      throw ErrorCode.INTERNAL.because("a fetch has other columns than planned");
    }
    this.columns =
        described.fields().stream()
            .map(field -> new GatheredColumn(GatheredType.of(field.typeOid())))
            .toList();
  }

  /** The same without rows. */
  GatheredRows emptied() {
    return new GatheredRows(fetch, columns.stream().map(GatheredColumn::emptied).toList());
  }

  /** How many there are. */
  long count() {
    return count;
  }

  /** The values that are held. */
  long bytes() {
    return bytes;
  }

  Fetch fetch() {
    return fetch;
  }

  /** The formats to ask for. */
  short[] formats() {
    short[] formats = new short[columns.size()];
    for (int i = 0; i < formats.length; i++) {
      formats[i] = (short) (columns.get(i).type().binary() ? 1 : 0);
    }
    return formats;
  }

  /** The first column that has another type on a shard; a user's types have other oids there. */
  Optional<String> differing(RowDescription described) {
    for (int i = 0; i < columns.size(); i++) {
      GatheredType type = columns.get(i).type();
      if (i >= described.fields().size() || !type.mayBe(described.fields().get(i).typeOid())) {
        return Optional.of(fetch.columns().get(i).name());
      }
    }
    return Optional.empty();
  }

  void add(List<byte @Nullable []> row) {
    count++;
    for (int i = 0; i < columns.size(); i++) {
      byte[] value = row.get(i);
      bytes += Integer.BYTES + (value == null ? 0 : value.length);
      columns.get(i).add(value);
    }
  }

  /** The column of this name, quoted. */
  GatheredColumn column(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (fetch.columns().get(i).name().equals(name)) {
        return columns.get(i);
      }
    }
    throw ErrorCode.INTERNAL.because("a fetch does not have the column that others wait for");
  }

  /** The type of a column, by its quoted name; 0 for none of this fetch. */
  int typeOf(String name) {
    return IntStream.range(0, columns.size())
        .filter(i -> fetch.columns().get(i).name().equals(name))
        .map(i -> columns.get(i).type().oid())
        .findFirst()
        .orElse(0);
  }

  /** Adds the parameters of the columns, the first of them numbered {@code first}. */
  SqlReplacement replacement(int first, List<byte[]> values, List<Boolean> binary) {
    List<String> unnested = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<String> expressions = new ArrayList<>();
    int parameter = first;
    for (GatheredColumn column : columns) {
      String name = "c" + expressions.size();
      List<String> arrays = column.unnested(parameter);
      for (String array : arrays) {
        names.add(array.equals(arrays.get(0)) ? name : name + "_end");
        unnested.add("pg_catalog.unnest(" + array + ")");
      }
      expressions.add(column.value(parameter, ROWS + "." + name));
      for (byte[] array : column.arrays()) {
        values.add(array);
        binary.add(column.type().binary());
        parameter++;
      }
    }
    String rows =
        "ROWS FROM (%s) AS %s(%s)"
            .formatted(String.join(", ", unnested), ROWS, String.join(", ", names));
    String text =
        fetch.joined()
            ? rows + tables(expressions)
            : "(SELECT " + list("", expressions) + " FROM " + rows + ")" + fetch.alias();
    return new SqlReplacement(fetch.from(), fetch.to(), text);
  }

  /** Each table of a joined row by its own name, as the columns of it that are the table's. */
  private String tables(List<String> expressions) {
    return fetch.columns().stream()
        .map(Fetch.Column::table)
        .distinct()
        .map(table -> ", LATERAL (SELECT " + list(table, expressions) + ") AS " + table)
        .collect(Collectors.joining());
  }

  private String list(String table, List<String> expressions) {
    return IntStream.range(0, columns.size())
        .filter(i -> fetch.columns().get(i).table().equals(table))
        .mapToObj(
            i ->
                "%s%s AS %s"
                    .formatted(
                        expressions.get(i),
                        fetch.columns().get(i).cast(),
                        fetch.columns().get(i).name()))
        .collect(Collectors.joining(", "));
  }
}
