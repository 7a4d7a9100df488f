package org.pgconcord.router.auth;

import com.ongres.scram.common.ScramFunctions;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How the router proves a role to a shard. Printing it shows nothing. */
public sealed interface BackendSecret {

  /** The shard is to trust this host; a shard that asks for more refuses the login. */
  BackendSecret TRUST = new Trust();

  /** The keys learned from a client's own login. */
  static BackendSecret of(ScramKeys keys) {
    return new Keys(keys);
  }

  static BackendSecret password(String password) {
    return new Password(password);
  }

  /** The keys for a verifier of this salt and count. */
  ScramKeys keys(byte[] salt, int iterations) throws ScramException;

  /** A nonce for either side: printable, without comma. */
  static String nonce(SecureRandom random) {
    return ScramFunctions.nonce(24, random);
  }

  /** No secret at all. */
  final class Trust implements BackendSecret {
    private Trust() {}

    @Override
    public ScramKeys keys(byte[] salt, int iterations) throws ScramException {
      throw new ScramException("the shard asks for a password, and none is configured");
    }

    @Override
    public String toString() {
      return "trust";
    }
  }

  /** Fit for every server that has the client's own verifier. */
  final class Keys implements BackendSecret {
    private final ScramKeys keys;

    private Keys(ScramKeys keys) {
      this.keys = keys;
    }

    @Override
    public ScramKeys keys(byte[] salt, int iterations) {
      return keys;
    }

    @Override
    public String toString() {
      return "keys[***]";
    }
  }

  /**
   * A password; the keys derived from it are remembered, since deriving them is slow on purpose.
   */
  final class Password implements BackendSecret {
    private static final int REMEMBERED_MAX = 64;

    private final String password;
    private final Map<String, ScramKeys> remembered = new ConcurrentHashMap<>();

    private Password(String password) {
      this.password = password;
    }

    @Override
    public ScramKeys keys(byte[] salt, int iterations) {
      String key = iterations + ":" + java.util.HexFormat.of().formatHex(salt);
      ScramKeys known = remembered.get(key);
      if (known != null) {
        return known;
      }
      ScramKeys derived = ScramClient.fromPassword(password, salt, iterations);
      if (remembered.size() < REMEMBERED_MAX) {
        remembered.put(key, derived);
      }
      return derived;
    }

    @Override
    public String toString() {
      return "password[***]";
    }
  }
}
