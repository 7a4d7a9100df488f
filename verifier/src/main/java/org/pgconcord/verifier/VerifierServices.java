package org.pgconcord.verifier;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import org.pgconcord.gsi.SettlementRunner;

/**
 * What verifications need from the rest of the daemon.
 *
 * @param sessions opens sessions of the service role, in the index's logical database
 * @param threads open sessions and take snapshots side by side; at least one more than there are
 *     shards, or they are further apart in time
 */
public record VerifierServices(
    SettlementRunner.Sessions sessions,
    AppliedPositions positions,
    TransactionLog log,
    ExecutorService threads,
    Clock clock,
    SecureRandom random,
    CompareProgress progress,
    BlindWrites blindWrites,
    VerifyOptions options) {}
