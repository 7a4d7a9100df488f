package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.SqlEdit;

/**
 * Which columns of a changed row go from the leading copy to the others, and the statements that
 * carry them (docs/decisions/0008). Values go as text, by position, in one array per column.
 */
final class CopyColumns {
  /** Types whose text depends on a session's settings, and the function of their binary form. */
  private static final Map<Integer, String> BINARY_FORM =
      Map.of(
          700, "float4send",
          701, "float8send",
          790, "cash_send",
          1082, "date_send",
          1083, "time_send",
          1114, "timestamp_send",
          1184, "timestamptz_send",
          1186, "interval_send",
          1266, "timetz_send");

  /** The first oid that is not PostgreSQL's own. */
  private static final int FIRST_USER_OID = 16_384;

  private final TableName table;
  private final TableSchema schema;
  private final List<String> key;

  CopyColumns(TableName table, TableSchema schema) {
    this.table = table;
    this.schema = schema;
    this.key = schema.primaryKey();
  }

  /** The stored rows, in the columns that were given or have a default. */
  CopyWork insert(String alias, boolean returns, int end, List<String> given) {
    Set<String> wanted = new LinkedHashSet<>(given);
    wanted.addAll(key);
    List<Column> sent =
        schema.columns().stream()
            .filter(c -> !c.generated() && (wanted.contains(c.name()) || c.hasDefault()))
            .toList();
    return work(alias, returns, end, sent, insertSql(sent, ""));
  }

  /** The stored rows whole: the row of a key may be there already. */
  CopyWork upsert(String alias, boolean returns, int end) {
    List<Column> sent = schema.columns().stream().filter(c -> !c.generated()).toList();
    List<Column> rest = sent.stream().filter(c -> !key.contains(c.name())).toList();
    String assigned =
        (rest.isEmpty() ? sent : rest)
            .stream()
                .map(c -> "%1$s = EXCLUDED.%1$s".formatted(Identifiers.quote(c.name())))
                .collect(Collectors.joining(", "));
    String keys = key.stream().map(Identifiers::quote).collect(Collectors.joining(", "));
    return work(
        alias,
        returns,
        end,
        sent,
        insertSql(sent, " ON CONFLICT (%s) DO UPDATE SET %s".formatted(keys, assigned)));
  }

  /** The assigned columns, by primary key. */
  CopyWork update(String alias, boolean returns, int end, Set<String> assigned) {
    List<Column> sent =
        schema.columns().stream()
            .filter(c -> key.contains(c.name()) || (assigned.contains(c.name()) && !c.generated()))
            .toList();
    String sets =
        IntStream.range(0, sent.size())
            .filter(i -> !key.contains(sent.get(i).name()))
            .mapToObj(i -> Identifiers.quote(sent.get(i).name()) + " = " + cast(sent, i))
            .collect(Collectors.joining(", "));
    // Generated columns alone were assigned (DEFAULT): the row is touched, as on the leader.
    String any = key.get(0);
    String set = sets.isEmpty() ? "%1$s = t.%1$s".formatted(Identifiers.quote(any)) : sets;
    return work(
        alias,
        returns,
        end,
        sent,
        "UPDATE %s AS t SET %s FROM %s WHERE %s"
            .formatted(table.quoted(), set, rows(sent), matching(sent)));
  }

  CopyWork delete(String alias, boolean returns, int end) {
    List<Column> sent = schema.columns().stream().filter(c -> key.contains(c.name())).toList();
    return work(
        alias,
        returns,
        end,
        sent,
        "DELETE FROM %s AS t USING %s WHERE %s"
            .formatted(table.quoted(), rows(sent), matching(sent)));
  }

  private CopyWork work(String alias, boolean returns, int end, List<Column> sent, String change) {
    String qualifier = Identifiers.quote(alias) + ".";
    List<String> added = new ArrayList<>();
    sent.forEach(c -> added.add(qualifier + Identifiers.quote(c.name())));
    added.add(image(qualifier));
    SqlEdit edit = new SqlEdit(end, (returns ? ", " : " RETURNING ") + String.join(", ", added));
    return new CopyWork(sent.size(), returns, List.of(edit), change + " RETURNING " + image("t."));
  }

  /** One text per row, equal for equal rows and only for them, whatever the session's settings. */
  private String image(String qualifier) {
    return "CAST(ROW(%s) AS pg_catalog.text)"
        .formatted(
            schema.columns().stream()
                .map(c -> imageOf(c, qualifier + Identifiers.quote(c.name())))
                .collect(Collectors.joining(", ")));
  }

  private static String imageOf(Column column, String value) {
    String send = BINARY_FORM.get(column.base().oid());
    return send == null ? value : "pg_catalog.%s(%s)".formatted(send, value);
  }

  private String insertSql(List<Column> sent, String conflict) {
    return "INSERT INTO %s AS t (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s%s"
        .formatted(
            table.quoted(),
            joined(sent.size(), i -> Identifiers.quote(sent.get(i).name())),
            joined(sent.size(), i -> cast(sent, i)),
            rows(sent),
            conflict);
  }

  private static String rows(List<Column> sent) {
    return "ROWS FROM (%s) AS v(%s)"
        .formatted(
            joined(
                sent.size(), i -> "pg_catalog.unnest(CAST($" + (i + 1) + " AS pg_catalog.text[]))"),
            joined(sent.size(), i -> "c" + i));
  }

  private String matching(List<Column> sent) {
    return IntStream.range(0, sent.size())
        .filter(i -> key.contains(sent.get(i).name()))
        .mapToObj(i -> "t." + Identifiers.quote(sent.get(i).name()) + " = " + cast(sent, i))
        .collect(Collectors.joining(" AND "));
  }

  private static String cast(List<Column> sent, int at) {
    return "CAST(v.c" + at + " AS " + type(sent.get(at)) + ")";
  }

  /** A type of the user's is printed without its schema when that is {@code public}. */
  private static String type(Column column) {
    boolean own = column.typeOid() < FIRST_USER_OID && column.typeOid() > 0;
    return own || column.type().contains(".") ? column.type() : "public." + column.type();
  }

  private static String joined(int count, Function<Integer, String> text) {
    return IntStream.range(0, count).boxed().map(text).collect(Collectors.joining(", "));
  }
}
