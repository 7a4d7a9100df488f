package org.pgconcord.config.check;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.Numbering;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Findings;
import org.pgconcord.config.topology.Rule;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Whether somebody takes numbers from a shard's own sequence while routers number the column:
 * sooner or later both give the same.
 */
final class SequenceCheck {
  private SequenceCheck() {}

  static List<Finding> check(TableName table, Survey survey) {
    Findings findings = new Findings();
    survey.table(table).forEach((shard, schema) -> check(shard, schema, survey, findings));
    return findings.all();
  }

  private static void check(ShardId shard, TableSchema schema, Survey survey, Findings findings) {
    for (Column column : schema.columns()) {
      column
          .numbering()
          .ifPresent(n -> check(shard, schema.name() + "." + column.name(), n, survey, findings));
    }
  }

  private static void check(
      ShardId shard, String path, Numbering numbering, Survey survey, Findings findings) {
    TableName sequence = numbering.sequence();
    BigDecimal next = survey.numbers().get(sequence);
    Map<TableName, Long> here = new TreeMap<>(survey.sequences().getOrDefault(shard, Map.of()));
    Long last = here.get(sequence);
    if (next == null || last == null) {
      return;
    }
    int order = BigDecimal.valueOf(last).compareTo(next) * Long.signum(numbering.increment());
    findings.require(
        order < 0,
        Rule.SCHEMA_SEQUENCE_AHEAD,
        path,
        ("sequence %s of %s itself has given %d, and routers go on with %s; on the authoritative"
                + " shard: UPDATE pgconcord.sequence SET next = %s WHERE (schema_name, name) ="
                + " (%s, %s)")
            .formatted(
                sequence,
                shard,
                last,
                next.toPlainString(),
                BigDecimal.valueOf(last).add(BigDecimal.valueOf(numbering.increment())),
                Identifiers.literal(sequence.schema()),
                Identifiers.literal(sequence.name())));
  }
}
