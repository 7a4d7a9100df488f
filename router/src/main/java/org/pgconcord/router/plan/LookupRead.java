package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
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
 * @param keys the values to look up, one for each indexed column
 * @param qualifier the owner table's name in the statement, quoted: an alias, or its own name
 * @param whereFrom token index of the WHERE clause's condition
 * @param whereTo token index behind the condition
 * @param covering the columns of the entry, numbered from 0, that are the whole answer
 */
public record LookupRead(
    LookupIndex index,
    long epoch,
    List<KeyOperand> keys,
    String qualifier,
    int whereFrom,
    int whereTo,
    Optional<List<Integer>> covering) {

  public LookupRead {
    keys = List.copyOf(keys);
    covering = covering.map(List::copyOf);
  }

  /** The values to look up; run the plan's {@code otherwise} when one is not convertible. */
  public List<KeyValue> key(StatementText text, Parameters parameters) {
    List<KeyValue> values = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      IndexColumn indexed = index.key().get(i);
      KeyColumn column = new KeyColumn(index.owner().name(), indexed.column(), indexed.type());
      values.add(OperandValue.of(keys.get(i), column, KeyUse.COMPARED, text, parameters));
    }
    return values;
  }

  /** The shard of the key's entries; while a value is missing, each shard that may be it. */
  List<ShardId> lookupShards(StatementText text, Parameters parameters) {
    List<String> bound = new ArrayList<>();
    for (KeyValue value : key(text, parameters)) {
      if (!(value instanceof KeyValue.Text known)) {
        return index.lookupShards();
      }
      bound.add(known.value());
    }
    return List.of(index.lookupShard(new Tuple(bound)));
  }

  /** Where the statement runs when there is no entry, so that {@code count(*)} still answers. */
  public ShardId anyOwnerShard() {
    return index.ownerShards().get(0);
  }

  /**
   * The client's statement narrowed to the shard keys that the lookup named (PROTOCOL 5), as texts
   * that PostgreSQL has printed.
   */
  public String ownerSql(StatementText text, Collection<Tuple> shardKeys) {
    return SqlEdit.apply(text, edits(ownerCondition(shardKeys)));
  }

  /**
   * As {@link #ownerSql}, of a statement that is edited elsewhere too.
   *
   * @param behind what to add behind the statement
   */
  public String ownerSql(StatementText text, Collection<Tuple> shardKeys, SqlEdit behind) {
    List<SqlEdit> edits = new ArrayList<>(edits(ownerCondition(shardKeys)));
    edits.add(behind);
    return SqlEdit.apply(text, edits);
  }

  /** True for the rows of these shard keys. */
  public String ownerCondition(Collection<Tuple> shardKeys) {
    return condition(shardKeys.stream().map(this::literals).collect(Collectors.joining(", ")));
  }

  private String literals(Tuple shardKey) {
    List<IndexColumn> columns = index.shardKey();
    String values =
        IntStream.range(0, columns.size())
            .mapToObj(i -> Identifiers.literal(shardKey.get(i)) + "::" + columns.get(i).sqlType())
            .collect(Collectors.joining(", "));
    return columns.size() == 1 ? values : "(" + values + ")";
  }

  /** As {@link #ownerCondition}, before the lookup has been made. */
  String ownerConditionShape() {
    return condition("shard keys found");
  }

  /** As {@link #ownerSql}, before the lookup has been made. */
  String ownerSqlShape(StatementText text) {
    return SqlEdit.apply(text, edits(ownerConditionShape()));
  }

  private String condition(String values) {
    String columns =
        index.shardKey().stream()
            .map(c -> qualifier + "." + c.quoted())
            .collect(Collectors.joining(", "));
    String row = index.shardKey().size() == 1 ? columns : "(" + columns + ")";
    return "%s IN (%s)".formatted(row, values);
  }

  private List<SqlEdit> edits(String condition) {
    return List.of(new SqlEdit(whereFrom, " ("), new SqlEdit(whereTo, ") AND " + condition));
  }
}
