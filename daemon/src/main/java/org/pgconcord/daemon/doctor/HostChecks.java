package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.List;

/** What a shard's standbys and replicas need. Pure. */
final class HostChecks {
  /** Slots that standbys keep came with it. */
  private static final int SLOTS_SINCE = 170_000;

  /** More than this is no moment's delay. */
  private static final long BEHIND_MOST = 64L << 20;

  private HostChecks() {}

  static List<Check> of(HostFacts host) {
    if (host.seen() instanceof HostFacts.Seen.Nothing nothing) {
      return List.of(
          Check.warning(
              "server/host",
              host.where(),
              "the server does not answer: " + nothing.why(),
              host.replica()
                  ? "Start it, or take it out of replicas; it is not read meanwhile."
                  : "Start it, or take it out of hosts; there is nothing to fail over to meanwhile."));
    }
    return of(host, (HostFacts.Seen.Server) host.seen());
  }

  private static List<Check> of(HostFacts host, HostFacts.Seen.Server server) {
    if (!server.sameSystem()) {
      return List.of(
          Check.failed(
              "server/host",
              host.where(),
              "this is another server than the shard's: " + server.server(),
              "Correct the address, or make the standby anew from the shard's primary."));
    }
    if (!server.standby()) {
      return List.of(primary(host, server));
    }
    List<Check> checks = new ArrayList<>();
    checks.add(standby(host, server));
    if (!host.replica() && server.server().version() >= SLOTS_SINCE && !server.syncsSlots()) {
      checks.add(
          Check.warning(
              "server/slot-sync",
              host.where(),
              "the standby does not keep the primary's slots: indexes are built anew after a"
                  + " failover",
              "ALTER SYSTEM SET sync_replication_slots = on; hot_standby_feedback and dbname in"
                  + " primary_conninfo are needed too."));
    }
    return checks;
  }

  private static Check primary(HostFacts host, HostFacts.Seen.Server server) {
    if (!server.isPrimary()) {
      return Check.failed(
          "server/host",
          host.where(),
          "this server takes writes too: " + server.server(),
          "Stop it, or make it a standby of the shard's primary (pg_rewind).");
    }
    return host.replica()
        ? Check.warning(
            "server/host",
            host.where(),
            "the replica is the shard's primary; it is not read as a replica",
            "Name a standby under replicas.")
        : Check.ok("server/host", host.where(), "the primary");
  }

  private static Check standby(HostFacts host, HostFacts.Seen.Server server) {
    String message = "a standby, %,d bytes behind".formatted(server.behindBytes());
    return server.behindBytes() <= BEHIND_MOST
        ? Check.ok("server/host", host.where(), message)
        : Check.warning(
            "server/host",
            host.where(),
            message,
            "See whether it receives and replays (pg_stat_replication on the primary); what it has"
                + " not got is lost by a failover to it.");
  }
}
