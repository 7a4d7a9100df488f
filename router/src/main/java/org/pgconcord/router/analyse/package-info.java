/**
 * What a read statement means for routing: which tables it reads at which level, which of their
 * rows can matter, which functions it calls. The central question is answered by {@code Pins}: are
 * all sharded rows that can influence the result provably on one shard, and by which constants.
 *
 * <p>Works on the views of {@code router.sql} with the tables of a routing state; decides no route
 * and knows no session.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.analyse;
