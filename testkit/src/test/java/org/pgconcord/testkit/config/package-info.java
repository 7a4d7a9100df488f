/** What {@code config} says and does to PostgreSQL, tried on real servers. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.config;
