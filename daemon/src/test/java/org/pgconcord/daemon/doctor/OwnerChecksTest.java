package org.pgconcord.daemon.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

class OwnerChecksTest {
  private static final TableName USERS = new TableName("public", "users");
  private static final ShardId SHARD = new ShardId("shard-b");
  private static final Gsi GSI =
      new Gsi(
          new GsiName("app", "by_email"),
          new TableName("public", "users_by_email"),
          USERS,
          List.of("email"),
          List.of("tenant_id"),
          List.of(),
          true,
          false,
          false);
  private static final UniqueKey PRIMARY =
      new UniqueKey("users_pkey", List.of("tenant_id", "user_id"), true, true);

  @Test
  void theExampleOfTheSeedPasses() {
    TableSchema table = users('f', List.of(PRIMARY, emailKey(true)));
    assertThat(OwnerChecks.of(GSI, SHARD, Optional.of(table), true)).noneMatch(Check::failed);
  }

  @Test
  void eachFaultIsNamedWithTheStatementThatCuresIt() {
    TableSchema table = users('d', List.of(PRIMARY, emailKey(false)));
    assertThat(OwnerChecks.of(GSI, SHARD, Optional.of(table), false))
        .filteredOn(Check::failed)
        .extracting(Check::id)
        .containsExactly(
            "owner/unique-index", "owner/leading-index", "owner/replica-identity", "owner/publish");
    assertThat(OwnerChecks.of(GSI, SHARD, Optional.of(table), true))
        .filteredOn(Check::failed)
        .extracting(Check::remedy)
        .contains(
            "CREATE UNIQUE INDEX CONCURRENTLY ON \"public\".\"users\" (\"tenant_id\", \"email\");",
            "ALTER TABLE \"public\".\"users\" REPLICA IDENTITY FULL;");
  }

  @Test
  void anIdentityIndexOverAllNeededColumnsIsEnough() {
    TableSchema table =
        new TableSchema(
            USERS,
            'r',
            List.of(),
            List.of(PRIMARY, emailKey(true)),
            'i',
            List.of("tenant_id", "user_id", "email"),
            false,
            0);
    assertThat(OwnerChecks.of(GSI, SHARD, Optional.of(table), true)).noneMatch(Check::failed);
  }

  @Test
  void aMissingTableIsTheOnlyFinding() {
    assertThat(OwnerChecks.of(GSI, SHARD, Optional.empty(), false))
        .extracting(Check::id)
        .containsExactly("owner/missing");
  }

  private static UniqueKey emailKey(boolean usable) {
    return new UniqueKey("users_email", List.of("tenant_id", "email"), false, usable);
  }

  private static TableSchema users(char identity, List<UniqueKey> keys) {
    List<String> carried = identity == 'f' ? List.of("all") : List.of("tenant_id", "user_id");
    return new TableSchema(USERS, 'r', List.of(), keys, identity, carried, false, 0);
  }
}
