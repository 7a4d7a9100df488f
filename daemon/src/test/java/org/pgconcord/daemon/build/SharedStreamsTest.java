package org.pgconcord.daemon.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

class SharedStreamsTest {
  private static final ShardId A = new ShardId("shard-a");
  private static final ShardId B = new ShardId("shard-b");
  private static final GsiName STOPPED = new GsiName("app", "by_email");
  private static final GsiName OTHER = new GsiName("app", "by_phone");
  private static final TableName USERS = new TableName("public", "users");
  private static final TableName ORDERS = new TableName("public", "orders");

  @Test
  void anIndexAloneTakesItsSlotWithIt() {
    SharedStreams streams = after(user(STOPPED, GsiState.NEEDS_RESYNC, USERS, A, B));
    assertThat(streams.lastOn(A)).isTrue();
    assertThat(streams.lastOf(USERS, A)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(GsiState.class)
  void theSlotStaysForAnIndexThatFollowsTheStream(GsiState other) {
    boolean follows = other == GsiState.FILLING || other == GsiState.TAILING || other.maintained();
    SharedStreams streams =
        after(user(STOPPED, GsiState.TAILING, USERS, A, B), user(OTHER, other, USERS, A));
    assertThat(streams.lastOn(A)).isEqualTo(!follows);
    assertThat(streams.lastOf(USERS, A)).isEqualTo(!follows);
    assertThat(streams.lastOn(B)).isTrue();
  }

  @Test
  void anotherOwnerTableKeepsTheSlotButNotTheTable() {
    SharedStreams streams = after(user(OTHER, GsiState.ENABLED, ORDERS, A));
    assertThat(streams.lastOn(A)).isFalse();
    assertThat(streams.lastOf(USERS, A)).isTrue();
    assertThat(streams.lastOf(ORDERS, A)).isFalse();
  }

  @Test
  void anotherDatabaseHasAnotherSlot() {
    GsiName elsewhere = new GsiName("shop", "by_email");
    assertThat(after(user(elsewhere, GsiState.ENABLED, USERS, A)).lastOn(A)).isTrue();
  }

  private static SharedStreams after(SharedStreams.User... users) {
    return new SharedStreams(STOPPED, List.of(users));
  }

  private static SharedStreams.User user(
      GsiName gsi, GsiState state, TableName owner, ShardId... shards) {
    return new SharedStreams.User(gsi, state, owner, Set.of(shards));
  }
}
