package org.pgconcord.router.exec;

import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.session.ClientPortal;

/**
 * The client's portals that are open on backends. They end with their transaction at the latest.
 */
final class Portals {
  /** What a portal's next rows come from. */
  sealed interface Open {
    /** A portal on a backend. */
    record OnBackend(BackendConnection backend, String name) implements Open {}

    /** Portals on several. */
    record Streamed(RowStream rows) implements Open {}
  }

  private final IdentityHashMap<ClientPortal, Open> open = new IdentityHashMap<>();
  private long opened;

  /** Names the portal on its backend. */
  String open(ClientPortal portal, BackendConnection backend) {
    String name = name();
    open.put(portal, new Open.OnBackend(backend, name));
    return name;
  }

  void open(ClientPortal portal, RowStream rows) {
    open.put(portal, new Open.Streamed(rows));
  }

  /** A name that no other portal of the session has had. */
  String name() {
    return "pgconcord_" + opened++;
  }

  @Nullable Open find(ClientPortal portal) {
    return open.get(portal);
  }

  @Nullable Open remove(ClientPortal portal) {
    return open.remove(portal);
  }

  /** Bytes of rows that the session's other suspended portals hold. */
  long heldBeside(RowStream one) {
    return held() - (isOpen(one) ? one.held() : 0);
  }

  private boolean isOpen(RowStream rows) {
    return open.values().stream()
        .anyMatch(portal -> portal instanceof Open.Streamed one && one.rows() == rows);
  }

  /** Bytes of rows that all of them hold. */
  long held() {
    return open.values().stream()
        .mapToLong(portal -> portal instanceof Open.Streamed one ? one.rows().held() : 0)
        .sum();
  }

  void clear() {
    open.clear();
  }
}
