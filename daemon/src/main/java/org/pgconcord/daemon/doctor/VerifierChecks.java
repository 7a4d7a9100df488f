package org.pgconcord.daemon.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.config.value.ShardId;

/**
 * Whether clients can log in by SCRAM: the router needs their verifiers, and one role the same one
 * everywhere. Pure.
 */
public final class VerifierChecks {
  private VerifierChecks() {}

  /**
   * @param digests shard -> role -> a digest of its verifier; empty where the service role may not
   *     read them
   * @param usersFile true when the configuration names one
   */
  static List<Check> of(
      ShardId authoritative,
      Map<ShardId, Optional<Map<String, String>>> digests,
      String serviceRole,
      boolean usersFile) {
    Optional<Map<String, String>> ruling = digests.getOrDefault(authoritative, Optional.empty());
    if (ruling.isEmpty()) {
      return usersFile
          ? List.of(
              Check.ok("role/verifiers", authoritative, "clients are checked by router.users_file"))
          : List.of(
              Check.failed(
                  "role/verifiers",
                  authoritative,
                  "role " + serviceRole + " may not read pg_authid, so no client can log in",
                  "GRANT SELECT ON pg_catalog.pg_authid TO "
                      + Identifiers.quote(serviceRole)
                      + "; in the catalog's database, or set router.users_file."));
    }
    List<Check> checks = new ArrayList<>();
    checks.add(Check.ok("role/verifiers", authoritative, "clients are checked by pg_authid"));
    SortedMap<ShardId, Optional<Map<String, String>>> others = new TreeMap<>(digests);
    others.remove(authoritative);
    others.forEach(
        (shard, read) -> read.ifPresent(there -> compare(ruling.get(), shard, there, checks)));
    return checks;
  }

  private static void compare(
      Map<String, String> ruling, ShardId shard, Map<String, String> there, List<Check> checks) {
    new TreeMap<>(ruling)
        .forEach(
            (role, digest) -> {
              if (!digest.equals(there.get(role))) {
                checks.add(
                    Check.warning(
                        "role/verifier-differs",
                        shard,
                        "role " + role + " has another password verifier than where it is checked",
                        "Copy rolpassword of pg_authid: ALTER ROLE "
                            + Identifiers.quote(role)
                            + " PASSWORD 'SCRAM-SHA-256$...'; the same password is not enough."));
              }
            });
  }
}
