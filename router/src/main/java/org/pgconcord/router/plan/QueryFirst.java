package org.pgconcord.router.plan;

import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;

/**
 * UPDATE or DELETE by a query that cannot run where its rows are changed: the query is answered
 * first, by its own route and with its own locks; then the statement is planned anew with the
 * query's rows as values (docs/decisions/0034).
 *
 * @param facts of both
 * @param found the query, and where its rows are put
 * @param select how the query is answered
 * @param describer a shard that knows all that is named
 * @param sample how the statement is planned with one row
 * @param collated texts of the query may have collations of their own
 * @param instead why no other route takes it
 * @param context under which it is planned
 */
public record QueryFirst(
    StatementFacts facts,
    Found found,
    Plan select,
    ShardId describer,
    Sample sample,
    boolean collated,
    Plan.Refused instead,
    PlanContext context)
    implements Plan {

  /** The statement with one row of these columns. */
  public record Sample(FoundValues rows, Plan plan) {}

  /** The statement as it is planned with one row. */
  Planned sampled(StatementText text) {
    String sql = found.with(text, sample.rows());
    return new Planned(sample.plan(), new StatementText(sql, Lexer.scan(sql)));
  }

  @Override
  public <R> R match(Cases<R> cases) {
    return cases.queryFirst(this);
  }
}
