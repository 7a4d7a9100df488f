package org.pgconcord.verifier;

import java.util.Map;
import org.pgconcord.config.catalog.GsiState;

/**
 * What a verification is of, beside the index itself.
 *
 * @param tables the version of each table on each shard, read before the verification begins
 * @param repair let the settlement put right what is found; in {@code tailing} the streams pause
 *     for it, and the entries are true again when they have caught up
 */
public record VerifyRequest(
    GsiState state, long epoch, long topologyRevision, Map<String, String> tables, boolean repair) {
  public VerifyRequest {
    tables = Map.copyOf(tables);
  }
}
