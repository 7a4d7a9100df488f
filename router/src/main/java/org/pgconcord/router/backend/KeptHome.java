package org.pgconcord.router.backend;

import io.netty.channel.EventLoop;

/**
 * Whether the client has left something in its home connection, advisory locks or channels that it
 * listens to, which another connection would silently be without. Whoever holds such a lock relies
 * on it, so the session ends when the connection does, as one with a plain server would.
 */
final class KeptHome {
  private final EventLoop loop;
  private final BackendEvents events;
  private boolean kept;

  KeptHome(EventLoop loop, BackendEvents events) {
    this.loop = loop;
    this.events = events;
  }

  void keep(boolean now) {
    kept = now;
  }

  boolean kept() {
    return kept;
  }

  /** Told after those who wait for answers of the connection. */
  void opened(NettyBackendConnection home) {
    home.whenGone(
        () ->
            loop.execute(
                () -> {
                  if (kept) {
                    events.homeLost();
                  }
                }));
  }
}
