package org.pgconcord.router.plan;

import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
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
 * @param key the value to look up
 * @param qualifier the owner table's name in the statement, quoted: an alias, or its own name
 * @param whereFrom token index of the WHERE clause's condition
 * @param whereTo token index behind the condition
 */
public record LookupRead(
    LookupIndex index, long epoch, KeyOperand key, String qualifier, int whereFrom, int whereTo) {

  /** The value to look up; run the plan's {@code otherwise} when it is not convertible. */
  public KeyValue key(StatementText text, Parameters parameters) {
    KeyColumn column =
        new KeyColumn(index.owner().name(), index.key().get(0).column(), index.key().get(0).type());
    return OperandValue.of(key, column, KeyUse.COMPARED, text, parameters);
  }

  /** Where the statement runs when there is no entry, so that {@code count(*)} still answers. */
  public ShardId anyOwnerShard() {
    return index.ownerShards().get(0);
  }

  /**
   * The client's statement narrowed to the shard keys that the lookup named (PROTOCOL 5), as texts
   * that PostgreSQL has printed.
   */
  public String ownerSql(StatementText text, List<String> shardKeys) {
    String type = index.shardKey().get(0).sqlType();
    return narrowed(
        text,
        shardKeys.stream()
            .map(k -> Identifiers.literal(k) + "::" + type)
            .collect(Collectors.joining(", ")));
  }

  /** As {@link #ownerSql}, before the lookup has been made. */
  String ownerSqlShape(StatementText text) {
    return narrowed(text, "shard keys found");
  }

  private String narrowed(StatementText text, String values) {
    String predicate =
        ") AND %s.%s IN (%s)".formatted(qualifier, index.shardKey().get(0).quoted(), values);
    return SqlEdit.apply(
        text, List.of(new SqlEdit(whereFrom, " ("), new SqlEdit(whereTo, predicate)));
  }
}
