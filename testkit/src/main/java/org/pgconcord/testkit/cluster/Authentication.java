package org.pgconcord.testkit.cluster;

/** How the embedded shards check who connects. */
public enum Authentication {
  /** Nobody is asked for a password; the shards listen on loopback only. */
  TRUST("trust"),
  /** SCRAM-SHA-256, each role with the same verifier on all shards. */
  SCRAM("scram-sha-256");

  private final String method;

  Authentication(String method) {
    this.method = method;
  }

  /** The word in {@code pg_hba.conf}. */
  String method() {
    return method;
  }
}
