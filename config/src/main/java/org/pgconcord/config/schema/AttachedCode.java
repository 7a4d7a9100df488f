package org.pgconcord.config.schema;

/**
 * An expression that PostgreSQL evaluates with statements on a table, though none of them names it.
 *
 * @param onWrites only statements that store rows evaluate it
 * @param what as messages name it: "policy tenant_only"
 */
public record AttachedCode(boolean onWrites, String what, Reach reach) {}
