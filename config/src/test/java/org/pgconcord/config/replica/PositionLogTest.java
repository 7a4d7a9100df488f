package org.pgconcord.config.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.Lsn;

class PositionLogTest {
  private static final ServerIdentity PRIMARY = new ServerIdentity(7, 1, 180_004);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final PositionLog log = new PositionLog();

  private void seen(long lsn, long second) {
    log.add(PRIMARY, new Lsn(lsn), second * SECOND);
  }

  private long floor(long second) {
    return log.floor(second * SECOND).map(floor -> floor.lsn().value()).orElse(-1L);
  }

  private long age(long lsn, long second) {
    return log.age(new Lsn(lsn), second * SECOND).map(Duration::toSeconds).orElse(-1L);
  }

  @Test
  void aReplicaIsAsOldAsTheLastPositionThatItHasReached() {
    seen(100, 1);
    seen(200, 2);
    seen(300, 3);

    assertThat(age(300, 4)).isEqualTo(1);
    assertThat(age(299, 4)).isEqualTo(2);
    assertThat(age(100, 4)).isEqualTo(3);
    assertThat(age(99, 4)).isEqualTo(-1);
    assertThat(floor(2)).isEqualTo(200);
    assertThat(floor(3)).isEqualTo(300);
    assertThat(floor(0)).isEqualTo(100);
  }

  @Test
  void whoHasAllThatAnIdlePrimaryWroteStaysFresh() {
    for (int second = 1; second <= 60; second++) {
      seen(100, second);
    }

    assertThat(age(100, 61)).isEqualTo(1);
    assertThat(floor(60)).isEqualTo(100);
  }

  @Test
  void whileThePrimaryIsSilentEveryReplicaAges() {
    seen(100, 1);

    assertThat(age(100, 31)).isEqualTo(30);
    assertThat(floor(2)).isEqualTo(-1);
  }

  @Test
  void positionsAreComparedWithoutSign() {
    seen(Long.MAX_VALUE, 1);
    seen(Long.MIN_VALUE, 2);

    assertThat(age(Long.MAX_VALUE, 3)).isEqualTo(2);
    assertThat(floor(2)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void anotherPrimaryBeginsAnotherLog() {
    seen(500, 1);
    ServerIdentity promoted = new ServerIdentity(7, 2, 180_004);
    log.add(promoted, new Lsn(450), 2 * SECOND);

    assertThat(age(460, 3)).isEqualTo(1);
    assertThat(floor(1)).isEqualTo(450);
    assertThat(log.floor(SECOND).orElseThrow().primary()).isEqualTo(promoted);
  }

  @Test
  void manyPositionsForgetTheOldest() {
    for (int i = 1; i <= 10_000; i++) {
      seen(i, i);
    }

    assertThat(floor(0)).isEqualTo(10_000 - 4_096 + 1);
    assertThat(age(10, 10_000)).isEqualTo(-1);
  }

  // --- the floor -------------------------------------------------------------------------------

  private static Optional<String> obstacle(boolean standby, long lsn, long system, int timeline) {
    Floor floor = new Floor(PRIMARY, new Lsn(100));
    return floor.obstacle(new ReplicaAnswer(standby, new Lsn(lsn), system, timeline));
  }

  @Test
  void onlyAStandbyOfThisPrimaryThatHasReplayedEnoughIsRead() {
    assertThat(obstacle(true, 100, 7, 1)).isEmpty();
    assertThat(obstacle(true, 99, 7, 1)).get().asString().contains("lags");
    assertThat(obstacle(false, 100, 7, 1)).get().asString().contains("no standby");
    assertThat(obstacle(true, 100, 8, 1)).get().asString().contains("another system");
    assertThat(obstacle(true, 100, 7, 2)).get().asString().contains("timeline 2");
  }

  @Test
  void theAnswerIsReadFromTexts() {
    assertThat(ReplicaAnswer.of(Arrays.asList("t", "1/A0", "-5", "2", "1", null)))
        .isEqualTo(new ReplicaAnswer(true, new Lsn(0x1000000A0L), -5, 2));
    assertThat(ReplicaAnswer.of(Arrays.asList("t", null, "5", "1", "1", "3")))
        .isEqualTo(new ReplicaAnswer(true, Lsn.ZERO, 5, 3));
    assertThat(ReplicaAnswer.of(Arrays.asList("f", "0/1", "5", "0", "1", null)).inRecovery())
        .isFalse();
  }
}
