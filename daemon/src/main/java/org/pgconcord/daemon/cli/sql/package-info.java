/**
 * {@code pgconcord sql}: a small stand-in for psql, for people who have none at hand. It connects
 * with PgJDBC like any application, sends what it is given, and prints results aligned and errors
 * with all their fields. It knows nothing of the router; any PostgreSQL server answers it.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.cli.sql;
