/**
 * The sample application: users of many tenants, spread by tenant, and the countries that every
 * shard holds a copy of. The demo shows it, and tests of all modules share it, so that a number or
 * a name seen in one place means the same in another. Rows are a pure function of seed and number.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.cluster.sample;
