package org.pgconcord.router.plan;

import org.jspecify.annotations.Nullable;

/**
 * A parameter's value as Bind brought it.
 *
 * @param typeOid as declared in Parse or described by a server; 0 when neither is known
 * @param bytes null for NULL
 */
@SuppressWarnings("ArrayRecordComponent")
public record ParameterValue(int typeOid, boolean binary, byte @Nullable [] bytes) {}
