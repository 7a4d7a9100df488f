package org.pgconcord.router.session;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The clients of a router: how many, who can be cancelled, who must go when the router stops. */
public final class Sessions {
  /** Connections that have not said yet what they want, beside as many clients as are allowed. */
  private static final int STRANGERS_MAX = 500;

  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<ClientHandler> live = ConcurrentHashMap.newKeySet();
  private final CancelKeys<ClientHandler> keys;

  public Sessions(SecureRandom random) {
    keys = new CancelKeys<>(random);
  }

  /** Counts what is connected at all; false when strangers are so many that one more is dropped. */
  boolean accept(int clientsMax) {
    return accepted.incrementAndGet() <= clientsMax + STRANGERS_MAX;
  }

  void disconnected() {
    accepted.decrementAndGet();
  }

  /** Counts a client that asks to log in; false when there are {@code max} already. */
  boolean admit(int max) {
    if (connections.incrementAndGet() <= max) {
      return true;
    }
    connections.decrementAndGet();
    return false;
  }

  void left() {
    connections.decrementAndGet();
  }

  CancelKeys.Key register(ClientHandler session) {
    live.add(session);
    return keys.register(session);
  }

  void remove(ClientHandler session, CancelKeys.Key key) {
    live.remove(session);
    keys.remove(key);
  }

  Optional<ClientHandler> find(int processId, String secret) {
    return keys.find(processId, secret);
  }

  /** Clients that are logged in. */
  public int count() {
    return live.size();
  }

  /** Each session ends at its next moment between transactions. */
  public void stopWhenIdle() {
    live.forEach(ClientHandler::stopWhenIdle);
  }

  /** All sessions end now; open transactions are rolled back. */
  public void stop() {
    live.forEach(ClientHandler::stop);
  }
}
