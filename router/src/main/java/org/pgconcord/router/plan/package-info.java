/**
 * From a statement to its plan. {@link org.pgconcord.router.plan.StatementPlanner} is the entry;
 * {@link org.pgconcord.router.plan.Plan} is the closed set of what can come out, a refusal
 * included. Plans are immutable and hold for every text of the same shape: constants and parameters
 * are bound late ({@link org.pgconcord.router.plan.ShardBinding}, {@link
 * org.pgconcord.router.plan.KeyOperand}), and edits sit at token positions.
 *
 * <p>Nothing here opens a connection or knows a session; what a session is in comes in a {@link
 * org.pgconcord.router.plan.PlanContext}. When in doubt the planner refuses: no plan may answer
 * with fewer or other rows than one PostgreSQL holding all of them would.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.plan;
