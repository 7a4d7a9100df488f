package org.pgconcord.daemon.demo;

/** What the demo shows once the index is enabled. */
enum Tour {
  /** Direct writes and their repair, a planted wrong row, one query of each kind. */
  SAMPLES,
  /** Ten reads: where each goes, what each shard does, and why it goes no better way. */
  READS,
  /** A server killed between two commits of one statement. */
  CRASH
}
