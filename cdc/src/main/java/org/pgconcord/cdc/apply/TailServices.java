package org.pgconcord.cdc.apply;

import java.time.Clock;
import org.pgconcord.gsi.SettlementRunner;

/** What the tails of one logical database share. */
record TailServices(
    StreamFactory streams,
    SettlementRunner.Sessions sessions,
    StreamPositions positions,
    TransactionLog log,
    TailListener listener,
    DuplicateListener duplicates,
    Clock clock) {}
