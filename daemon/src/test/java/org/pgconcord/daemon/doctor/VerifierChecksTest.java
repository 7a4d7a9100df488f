package org.pgconcord.daemon.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

class VerifierChecksTest {
  private static final ShardId A = new ShardId("shard-a");
  private static final ShardId B = new ShardId("shard-b");

  @Test
  void unreadableVerifiersNeedAUsersFile() {
    assertThat(check(Map.of(A, Optional.empty()), false))
        .singleElement()
        .satisfies(
            check -> {
              assertThat(check.failed()).isTrue();
              assertThat(check.remedy()).contains("GRANT SELECT ON pg_catalog.pg_authid");
            });
    assertThat(check(Map.of(A, Optional.empty()), true)).noneMatch(Check::failed);
  }

  @Test
  void aRoleWithAnotherVerifierElsewhereIsNamed() {
    assertThat(
            check(
                Map.of(
                    A, Optional.of(Map.of("app", "1", "same", "2")),
                    B, Optional.of(Map.of("app", "3", "same", "2"))),
                false))
        .filteredOn(check -> check.id().equals("role/verifier-differs"))
        .singleElement()
        .satisfies(
            check -> {
              assertThat(check.where()).isEqualTo("shard-b");
              assertThat(check.message()).contains("role app");
            });
  }

  @Test
  void aShardThatDoesNotShowItsVerifiersIsNotCompared() {
    assertThat(check(Map.of(A, Optional.of(Map.of("app", "1")), B, Optional.empty()), false))
        .allMatch(check -> check.level() == Check.Level.OK);
  }

  private static List<Check> check(
      Map<ShardId, Optional<Map<String, String>>> digests, boolean usersFile) {
    return VerifierChecks.of(A, digests, "pgconcord", usersFile);
  }
}
