package org.pgconcord.verifier;

import org.pgconcord.config.catalog.GsiState;

/**
 * What a verification is of, beside the index itself.
 *
 * @param repair let the settlement put right what is found; only where routers maintain the index,
 *     since before that the stream alone writes
 */
public record VerifyRequest(GsiState state, long epoch, long topologyRevision, boolean repair) {}
