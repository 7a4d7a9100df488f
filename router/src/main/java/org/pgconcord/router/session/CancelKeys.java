package org.pgconcord.router.session;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys by which a second connection may cancel what a session runs: 32 random bits beside a
 * random number of the session, compared in constant time. Used from all event loops.
 */
final class CancelKeys<S> {

  /** A session's key. */
  record Key(int processId, int secret) {}

  private record Entry<S>(int secret, S session) {}

  private final SecureRandom random;
  private final Map<Integer, Entry<S>> sessions = new ConcurrentHashMap<>();

  CancelKeys(SecureRandom random) {
    this.random = random;
  }

  /** Gives the session a key that no other live session has. */
  Key register(S session) {
    int secret = random.nextInt();
    while (true) {
      int processId = random.nextInt(1, Integer.MAX_VALUE);
      if (sessions.putIfAbsent(processId, new Entry<>(secret, session)) == null) {
        return new Key(processId, secret);
      }
    }
  }

  void remove(Key key) {
    sessions.remove(key.processId());
  }

  /** The session that the request is for; {@code secret} in hexadecimal, of whatever length. */
  Optional<S> find(int processId, String secret) {
    Entry<S> entry = sessions.get(processId);
    byte[] expected = hex(entry == null ? 0 : entry.secret()).getBytes(US_ASCII);
    boolean equal = MessageDigest.isEqual(expected, secret.getBytes(US_ASCII));
    return equal && entry != null ? Optional.of(entry.session()) : Optional.empty();
  }

  static String hex(int secret) {
    return String.format("%08x", secret);
  }
}
