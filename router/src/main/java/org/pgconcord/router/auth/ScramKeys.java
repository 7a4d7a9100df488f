package org.pgconcord.router.auth;

/**
 * The keys that a successful login of a client left here: with them a server that has the same
 * verifier can be logged in to as the same role. They live as long as the session, in memory only.
 */
public final class ScramKeys {
  private final byte[] clientKey;
  private final byte[] storedKey;
  private final byte[] serverKey;

  ScramKeys(byte[] clientKey, byte[] storedKey, byte[] serverKey) {
    this.clientKey = clientKey;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  byte[] clientKey() {
    return clientKey;
  }

  byte[] storedKey() {
    return storedKey;
  }

  byte[] serverKey() {
    return serverKey;
  }

  @Override
  public String toString() {
    return "ScramKeys[***]";
  }
}
