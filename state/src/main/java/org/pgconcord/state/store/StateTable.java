package org.pgconcord.state.store;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The tables of the store, a RocksDB column family each. A new one needs no new format number. */
public enum StateTable {
  /** The format number. */
  META,
  /** The last transaction applied, by stream and target: spares a read of the progress row. */
  APPLIED,
  /** Changes of a transaction too large for memory, until it has been applied. */
  SPOOL,
  /** Net entry deltas of transactions that a running verification may have to correct for. */
  TRANSACTION_LOG,
  /** Sorted run files and merged ranges of a backfill. */
  RUNS,
  /** How far a verification or a sweep has come. */
  VERIFICATION;

  byte[] familyName() {
    return name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
  }
}
