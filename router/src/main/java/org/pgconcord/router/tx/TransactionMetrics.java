package org.pgconcord.router.tx;

/** Counts what transactions cost and how they ended unevenly. Called on event loops. */
public interface TransactionMetrics {
  /** Counts nothing. */
  TransactionMetrics NONE =
      new TransactionMetrics() {
        @Override
        public void partiallyCommitted() {}

        @Override
        public void outcomeUnknown() {}

        @Override
        public void blockReserved() {}
      };

  /** Some shards have committed, others have rolled back, and both are known. */
  void partiallyCommitted();

  /** A shard did not say whether it committed. */
  void outcomeUnknown();

  /** A block of numbers was reserved. */
  void blockReserved();
}
