/**
 * What the shards' own catalogs say about a table: columns, types, keys, replica identity. Read
 * over PgJDBC ({@code SchemaReader}), compared over shards ({@code SchemaComparison}), and used by
 * the planner and the sync engine as plain records.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.schema;
