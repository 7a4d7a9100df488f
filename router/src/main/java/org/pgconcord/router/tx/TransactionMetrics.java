package org.pgconcord.router.tx;

/** Counts how transactions ended that did not end evenly. Called on event loops. */
public interface TransactionMetrics {
  /** Counts nothing. */
  TransactionMetrics NONE =
      new TransactionMetrics() {
        @Override
        public void partiallyCommitted() {}

        @Override
        public void outcomeUnknown() {}
      };

  /** Some shards have committed, others have rolled back, and both are known. */
  void partiallyCommitted();

  /** A shard did not say whether it committed. */
  void outcomeUnknown();
}
