package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.value.Identifiers;

/** What a shard's server and the service role need. Pure. */
public final class ServerChecks {
  private ServerChecks() {}

  public static List<Check> of(ServerFacts facts) {
    List<Check> checks = new ArrayList<>();
    checks.add(version(facts));
    checks.add(
        Check.require(
            facts.encoding().equals("UTF8"),
            "server/encoding",
            facts.shard(),
            "encoding UTF8",
            "the database's encoding is " + facts.encoding(),
            "Only databases with encoding UTF8 are supported: create it anew with ENCODING 'UTF8'."));
    checks.addAll(replication(facts));
    checks.addAll(role(facts));
    checks.add(atomic(facts));
    for (String holder : facts.holders()) {
      checks.add(
          Check.warning(
              "server/slot-holder",
              facts.shard(),
              holder + " would hold up the making of a slot",
              "End it before the build; a slot waits for every older transaction."));
    }
    return checks;
  }

  private static Check version(ServerFacts facts) {
    int major = facts.versionNumber() / 10_000;
    return Check.require(
        major >= 15 && major <= 18,
        "server/version",
        facts.shard(),
        "PostgreSQL " + major,
        "PostgreSQL " + major + " is not supported",
        "Use PostgreSQL 15 to 18.");
  }

  private static List<Check> replication(ServerFacts facts) {
    return List.of(
        Check.require(
            facts.walLevel().equals("logical"),
            "server/wal-level",
            facts.shard(),
            "wal_level logical",
            "wal_level is " + facts.walLevel(),
            "ALTER SYSTEM SET wal_level = 'logical'; then restart the server."),
        Check.require(
            facts.slotsFree() >= 2,
            "server/replication-slots",
            facts.shard(),
            facts.slotsFree() + " replication slots free",
            "only " + facts.slotsFree() + " replication slots are free, 2 are needed",
            "Raise max_replication_slots and restart the server, or drop unused slots."),
        Check.require(
            facts.sendersFree() >= 2,
            "server/wal-senders",
            facts.shard(),
            facts.sendersFree() + " WAL senders free",
            "only " + facts.sendersFree() + " WAL senders are free, 2 are needed",
            "Raise max_wal_senders and restart the server."));
  }

  /** Warnings only: without two-phase commit everything but {@code atomic} works. */
  private static Check atomic(ServerFacts facts) {
    if (facts.preparedLimit() == 0) {
      return Check.warning(
          "server/prepared-transactions",
          facts.shard(),
          "max_prepared_transactions is 0: transactions in mode atomic are refused",
          "ALTER SYSTEM SET max_prepared_transactions = 100; then restart the server.");
    }
    if (!facts.strangers().isEmpty()) {
      return Check.warning(
          "role/set-role",
          facts.shard(),
          "role "
              + facts.role().name()
              + " cannot become these, whose transactions in mode atomic are refused: "
              + String.join(", ", facts.strangers()),
          "GRANT "
              + Identifiers.quote(facts.strangers().get(0))
              + " TO "
              + Identifiers.quote(facts.role().name())
              + "; for each role that uses mode atomic.");
    }
    return Check.ok(
        "server/prepared-transactions",
        facts.shard(),
        facts.preparedLimit() + " prepared transactions allowed");
  }

  private static List<Check> role(ServerFacts facts) {
    ServerFacts.Role role = facts.role();
    String name = Identifiers.quote(role.name());
    List<Check> checks = new ArrayList<>();
    checks.add(
        Check.require(
            role.replication() || role.superuser(),
            "role/replication",
            facts.shard(),
            "role " + role.name() + " may replicate",
            "role " + role.name() + " may not replicate",
            "ALTER ROLE " + name + " REPLICATION;"));
    checks.add(
        Check.require(
            role.bypassRowSecurity() || role.superuser(),
            "role/bypassrls",
            facts.shard(),
            "role " + role.name() + " sees every row",
            "row security would hide rows from role " + role.name(),
            "ALTER ROLE " + name + " BYPASSRLS;"));
    checks.add(
        Check.require(
            role.createInDatabase(),
            "role/create",
            facts.shard(),
            "role " + role.name() + " may create in the database",
            "role " + role.name() + " may not create schemas and publications",
            "GRANT CREATE ON DATABASE "
                + Identifiers.quote(facts.database())
                + " TO "
                + name
                + ";"));
    if (role.superuser()) {
      checks.add(
          Check.warning(
              "role/superuser",
              facts.shard(),
              "role " + role.name() + " is a superuser, which nothing needs",
              "ALTER ROLE " + name + " NOSUPERUSER;"));
    }
    return checks;
  }
}
