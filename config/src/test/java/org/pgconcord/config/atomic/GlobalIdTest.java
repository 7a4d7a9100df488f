package org.pgconcord.config.atomic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

class GlobalIdTest {
  private static final GlobalId ID =
      new GlobalId(
          "0123456789ab",
          "00000000000000aa",
          "ffffffffffffffff",
          Part.POST,
          new ShardId("shard_é b"));

  @Test
  void isReadBackWhateverTheShardIsCalled() {
    assertThat(ID)
        .hasToString("pgconcord_0123456789ab_00000000000000aa_ffffffffffffffff_post_shard_é b");
    assertThat(GlobalId.parse(ID.toString())).contains(ID);
  }

  @Test
  void othersAreNotOurs() {
    for (String foreign :
        new String[] {
          "",
          "pgconcord_",
          "citus_0_1_2_3",
          ID.toString().replace("_post_", "_last_"),
          ID.toString().replace("0123456789ab", "0123456789AB"),
          "x" + ID
        }) {
      assertThat(GlobalId.parse(foreign)).as(foreign).isEmpty();
    }
  }

  @Test
  void aNameThatPostgresWouldRefuseIsNotMade() {
    assertThat(named("s".repeat(137)).toString()).hasSize(199);
    assertThatThrownBy(() -> named("s".repeat(138))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> named("é".repeat(69))).isInstanceOf(IllegalArgumentException.class);
  }

  private static GlobalId named(String shard) {
    return new GlobalId(ID.cluster(), ID.router(), ID.transaction(), Part.MAIN, new ShardId(shard));
  }

  @Test
  void randomNamesHaveTheRightForm() {
    assertThat(GlobalId.random(new SecureRandom())).matches("[0-9a-f]{16}");
  }
}
