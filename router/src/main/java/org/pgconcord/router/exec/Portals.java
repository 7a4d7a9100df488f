package org.pgconcord.router.exec;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.session.ClientPortal;

/**
 * The client's portals that are open on a backend. They end with their transaction at the latest.
 */
final class Portals {
  /** A portal on a backend. */
  record Open(BackendConnection backend, String name) {}

  private final IdentityHashMap<ClientPortal, Open> open = new IdentityHashMap<>();
  private long opened;

  /** Names the portal on its backend. */
  String open(ClientPortal portal, BackendConnection backend) {
    String name = "pgconcord_" + opened++;
    open.put(portal, new Open(backend, name));
    return name;
  }

  @Nullable Open find(ClientPortal portal) {
    return open.get(portal);
  }

  @Nullable Open remove(ClientPortal portal) {
    return open.remove(portal);
  }

  void clear() {
    open.clear();
  }
}
