package org.pgconcord.testkit.fault;

/** Which way a message goes; PostgreSQL gives one letter different meanings in the two. */
public enum Direction {
  TO_SERVER,
  TO_CLIENT
}
