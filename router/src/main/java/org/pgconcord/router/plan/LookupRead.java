package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * How a global secondary index leads to the owner row.
 *
 * @param index resolved: its lookup shard, types and owner shards
 * @param epoch of the index when the plan was made; a lookup that answers with another one means
 *     replan
 * @param keys for each indexed column the values to look up: one, or several for a list or an array
 * @param aggregate one row is answered whether there is an owner row or not, so that the answer
 *     does not show that it was not where the entry led
 * @param qualifier the owner table's name in the statement, quoted: an alias, or its own name
 * @param whereFrom token index of the WHERE clause's condition; for a {@link Fetch}, whose text is
 *     the router's own, both places are 0
 * @param whereTo token index behind the condition
 * @param covering the columns of the entry, numbered from 0, that are the whole answer
 */
public record LookupRead(
    LookupIndex index,
    long epoch,
    List<List<KeyOperand>> keys,
    boolean aggregate,
    String qualifier,
    int whereFrom,
    int whereTo,
    Optional<List<Integer>> covering) {

  public LookupRead {
    keys = keys.stream().map(List::copyOf).toList();
    covering = covering.map(List::copyOf);
  }

  /** For rows of the owner that are fetched. */
  static LookupRead forFetch(
      LookupIndex index, long epoch, List<List<KeyOperand>> keys, String qualifier) {
    return new LookupRead(index, epoch, keys, false, qualifier, 0, 0, Optional.empty());
  }

  /** What there is to look up. */
  public sealed interface Keys {
    /** The plan's {@code otherwise} is to be run. */
    record Unusable(String reason, boolean missing) implements Keys {}

    /** These keys, and no others, can be those of the rows that are asked for. */
    record Known(Set<Tuple> keys) implements Keys {}
  }

  /** True when the statement names one value for each column. */
  public boolean isLone() {
    return keys.stream()
        .allMatch(each -> each.size() == 1 && !(each.get(0) instanceof KeyOperand.Each));
  }

  /** A column that is NULL has no entry: it is left out, and with it every key that it is in. */
  public Keys keys(StatementText text, Parameters parameters) {
    List<List<String>> found = List.of(List.of());
    for (int i = 0; i < keys.size(); i++) {
      IndexColumn indexed = index.key().get(i);
      KeyColumn column = new KeyColumn(index.owner().name(), indexed.column(), indexed.type());
      Set<String> values = new LinkedHashSet<>();
      for (KeyOperand operand : keys.get(i)) {
        for (KeyValue value : OperandValue.all(operand, column, text, parameters)) {
          if (value instanceof KeyValue.NotConvertible unusable) {
            return new Keys.Unusable(unusable.reason(), unusable.missing());
          } else if (value instanceof KeyValue.Text known) {
            values.add(known.value());
          }
        }
      }
      if ((long) found.size() * values.size() > EntrySql.READ_MOST) {
        return new Keys.Unusable(
            "more than %,d keys to look up".formatted(EntrySql.READ_MOST), false);
      }
      found = combined(found, values);
    }
    return new Keys.Known(
        found.stream().map(Tuple::new).collect(Collectors.toCollection(LinkedHashSet::new)));
  }

  private static List<List<String>> combined(List<List<String>> keys, Set<String> values) {
    return keys.stream()
        .flatMap(key -> values.stream().map(value -> Stream.concat(key.stream(), Stream.of(value))))
        .map(Stream::toList)
        .toList();
  }

  /** The shards of the keys' entries; while a value is missing, each shard that may be one. */
  List<ShardId> lookupShards(StatementText text, Parameters parameters) {
    return keys(text, parameters) instanceof Keys.Known known && !known.keys().isEmpty()
        ? known.keys().stream().map(index::lookupShard).distinct().sorted().toList()
        : index.lookupShards();
  }

  /** Where the statement runs when there is no entry, so that {@code count(*)} still answers. */
  public ShardId anyOwnerShard() {
    return index.ownerShards().get(0);
  }

  /**
   * The client's statement narrowed to the shard keys that the lookup named, as texts that
   * PostgreSQL has printed.
   */
  public String ownerSql(StatementText text, Collection<Tuple> shardKeys) {
    return SqlEdit.apply(text, edits(ownerCondition(shardKeys)));
  }

  /**
   * The client's statement narrowed by a condition, and edited elsewhere too.
   *
   * @param behind what to add behind the statement
   */
  public String narrowed(StatementText text, String condition, SqlEdit behind) {
    List<SqlEdit> edits = new ArrayList<>(edits(condition));
    edits.add(behind);
    return SqlEdit.apply(text, edits);
  }

  /** True for the rows of these shard keys. */
  public String ownerCondition(Collection<Tuple> shardKeys) {
    return condition(index.shardKey(), literals(index.shardKey(), shardKeys));
  }

  /** True for the rows of these shard keys that have one of these keys. */
  public String ownerCondition(Collection<Tuple> shardKeys, Collection<Tuple> keys) {
    return ownerCondition(shardKeys)
        + " AND "
        + condition(index.key(), literals(index.key(), keys));
  }

  /**
   * True for the rows that have one of these pairs of shard key and key.
   *
   * @param rows shard key and key of each, one behind the other
   */
  public String rowCondition(Collection<Tuple> rows) {
    List<IndexColumn> columns =
        Stream.concat(index.shardKey().stream(), index.key().stream()).toList();
    return condition(columns, literals(columns, rows));
  }

  private static String literals(List<IndexColumn> columns, Collection<Tuple> rows) {
    return rows.stream().map(row -> literals(columns, row)).collect(Collectors.joining(", "));
  }

  private static String literals(List<IndexColumn> columns, Tuple row) {
    String values =
        IntStream.range(0, columns.size())
            .mapToObj(i -> Identifiers.literal(row.get(i)) + "::" + columns.get(i).sqlType())
            .collect(Collectors.joining(", "));
    return columns.size() == 1 ? values : "(" + values + ")";
  }

  /** As {@link #ownerCondition}, before the lookup has been made. */
  String ownerConditionShape() {
    return condition(index.shardKey(), "shard keys found");
  }

  /** As {@link #ownerSql}, before the lookup has been made. */
  String ownerSqlShape(StatementText text) {
    return SqlEdit.apply(text, edits(ownerConditionShape()));
  }

  private String condition(List<IndexColumn> columns, String values) {
    String names =
        columns.stream().map(c -> qualifier + "." + c.quoted()).collect(Collectors.joining(", "));
    return "%s IN (%s)".formatted(columns.size() == 1 ? names : "(" + names + ")", values);
  }

  private List<SqlEdit> edits(String condition) {
    return List.of(new SqlEdit(whereFrom, " ("), new SqlEdit(whereTo, ") AND " + condition));
  }
}
