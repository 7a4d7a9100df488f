package org.pgconcord.daemon.demo;

/** What the demo shows once the index is enabled. */
enum Tour {
  /** Direct writes and their repair, a planted wrong row, one query of each kind. */
  SAMPLES,
  /** A server killed between two commits of one statement. */
  CRASH
}
