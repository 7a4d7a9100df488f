package org.pgconcord.cdc.apply;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.cdc.apply.Rig.delete;
import static org.pgconcord.cdc.apply.Rig.insert;
import static org.pgconcord.cdc.apply.Rig.update;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.RowImage;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Given what owner shards commit, and in which order it arrives: the entries then. */
class TailsIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** Beyond any position that a fence can have. */
  private static final long FAR = 1L << 50;

  private static ShardCluster cluster;
  private Rig rig;
  private String a1;
  private String a2;
  private String b1;

  @BeforeAll
  static void startShards() {
    cluster = ShardCluster.start(2);
  }

  @AfterAll
  static void stopShards() {
    cluster.close();
  }

  @BeforeEach
  void prepare(@TempDir Path directory) throws Exception {
    rig = new Rig(cluster, directory.resolve("state"));
    a1 = rig.tenant(A, 0);
    a2 = rig.tenant(A, 1);
    b1 = rig.tenant(B, 0);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void blind() {
    rig.running().serve(rig.index, ServingMode.BLIND);
  }

  private void audit() {
    rig.running().serve(rig.index, ServingMode.AUDIT);
  }

  private static ConditionFactory soon() {
    return await().atMost(LIMIT).pollInterval(Duration.ofMillis(20));
  }

  private void awaitEntries(Map<String, String> expected) {
    soon().untilAsserted(() -> assertThat(rig.entries()).isEqualTo(expected));
  }

  private void awaitHeard(String what) {
    soon().untilAsserted(() -> assertThat(rig.heard).contains(what));
  }

  private void awaitParked(int count) {
    soon().untilAsserted(() -> assertThat(rig.parked()).hasSize(count));
  }

  private void awaitConfirmed(org.pgconcord.config.value.ShardId shard, long lsn) {
    soon().untilAsserted(() -> assertThat(rig.confirmed(shard)).isEqualTo(new Lsn(lsn)));
  }

  // --- blind application
  // ---------------------------------------------------------------------------

  @Test
  void insertsUpdatesAndDeletesFollowTheirOrder() {
    blind();
    rig.commit(A, 10, insert(a1, "x"), insert(a1, "y"), update(a1, "x", "z"));
    rig.commit(A, 20, delete(a1, "y"));
    rig.commit(B, 10, insert(b1, "w"));
    awaitEntries(Map.of("z", a1, "w", b1));
    awaitConfirmed(A, 20);
    assertThat(rig.running().appliedRows(rig.index.name(), A)).isEqualTo(4);
    assertThat(rig.running().appliedRows(rig.index.name(), B)).isEqualTo(1);
  }

  @Test
  void aSwapOfTwoTenantsInOneTransactionKeepsBothEntries() {
    blind();
    rig.commit(A, 10, insert(a1, "x"), insert(a2, "y"));
    awaitEntries(Map.of("x", a1, "y", a2));
    rig.commit(A, 20, update(a1, "x", "t"), update(a2, "y", "x"), update(a1, "t", "y"));
    awaitEntries(Map.of("y", a1, "x", a2));
    assertThat(rig.parked()).isEmpty();
  }

  @Test
  void aKeyThatChangesItsTenantWithinOneBatchIsNotParked() {
    rig.commit(A, 10, insert(a1, "x"));
    rig.commit(A, 20, delete(a1, "x"));
    rig.commit(A, 30, insert(a2, "x"));
    blind();
    awaitEntries(Map.of("x", a2));
    assertThat(rig.parked()).isEmpty();
  }

  @Test
  void anInsertThatComesBeforeTheOtherShardsDeleteWaitsForIt() {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    rig.commit(B, 10, insert(b1, "x"));
    awaitParked(1);
    awaitConfirmed(B, 10);
    rig.commit(A, 20, delete(a1, "x"));
    awaitEntries(Map.of("x", b1));
    awaitParked(0);
    assertThat(rig.heard).isEmpty();
  }

  @Test
  void aKeyThatGoesToAnotherShardAndBackIsNoDuplicate() {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    rig.commit(B, 10, insert(b1, "x"));
    awaitParked(1);
    rig.mark(A, FAR);
    awaitConfirmed(A, FAR);
    rig.commit(B, 20, delete(b1, "x"));
    awaitParked(0);
    rig.mark(B, FAR);
    awaitConfirmed(B, FAR);
    assertThat(rig.heard).isEmpty();
    awaitEntries(Map.of("x", a1));
  }

  @Test
  void twoOwnersAreADuplicateOnceBothStreamsHavePassedTheirFences() {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    rig.commit(B, 10, insert(b1, "x"));
    awaitParked(1);
    rig.mark(A, FAR);
    rig.mark(B, FAR);
    awaitHeard("duplicate x");
    rig.commit(A, FAR + 10, delete(a1, "x"));
    awaitEntries(Map.of("x", b1));
    awaitHeard("resolved x");
  }

  @Test
  void twoOwnersOnOneShardInOneBatchAreNotHidden() {
    rig.commit(A, 10, insert(a1, "x"));
    rig.commit(A, 20, insert(a2, "x"));
    blind();
    awaitEntries(Map.of("x", a1));
    awaitParked(1);
    assertThat(rig.parked().get(0).entry().holder()).isEqualTo(Tuple.of(a2));
  }

  /** The later index comes in at 10, although the first one has long had what follows. */
  @Test
  void whatAReservedIndexWillNeedStaysInTheSlot() throws Exception {
    LookupIndex later = Indexes.named("by_email_later");
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitConfirmed(A, 10);
    rig.running().reserve(later);
    rig.commit(A, 20, insert(a1, "y"));
    awaitEntries(Map.of("x", a1, "y", a1));
    await()
        .during(Duration.ofMillis(1_500))
        .atMost(Duration.ofSeconds(30))
        .until(() -> rig.confirmed(A).equals(new Lsn(10)));
    rig.onLookup(
        "DELETE FROM users_by_email WHERE email = 'y'",
        "INSERT INTO pgconcord.progress VALUES ('shard-a', 'app.by_email_later', '0/A', 1),"
            + " ('shard-b', 'app.by_email_later', '0/0', 1)");

    rig.running().serve(later, ServingMode.BLIND);

    awaitEntries(Map.of("x", a1, "y", a1));
    awaitConfirmed(A, 20);
    assertThat(rig.running().positions().applied(A)).isEqualTo(new Lsn(20));
  }

  @Test
  void truncateRemovesTheEntriesOfItsShardAlone() {
    blind();
    rig.commit(A, 10, insert(a1, "x"), insert(a2, "y"));
    rig.commit(B, 10, insert(b1, "z"));
    awaitEntries(Map.of("x", a1, "y", a2, "z", b1));
    rig.commit(A, 20, insert(a1, "w"), RowChange.truncate(UsersByEmail.USERS), insert(a1, "v"));
    awaitEntries(Map.of("v", a1, "z", b1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRestartGoesOnWhereTheProgressRowIs(boolean forget) {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    rig.commit(A, 20, delete(a1, "x"), insert(a2, "x"));
    awaitEntries(Map.of("x", a2));
    rig.restart(ServingMode.BLIND, forget);
    rig.commit(A, 30, insert(a1, "y"));
    awaitEntries(Map.of("x", a2, "y", a1));
  }

  @Test
  void whatTheProgressRowCoversIsSkippedWhenItComesAgain() throws Exception {
    rig.commit(A, 10, insert(a1, "x"));
    rig.commit(A, 20, delete(a1, "z"));
    rig.commit(A, 30, insert(a1, "y"));
    rig.onLookup(
        "INSERT INTO users_by_email (email, tenant_id) VALUES ('z', " + a1 + ")",
        "UPDATE pgconcord.progress SET commit_lsn = '0/14' WHERE stream = 'shard-a'");
    blind();
    awaitEntries(Map.of("y", a1, "z", a1));
  }

  @Test
  void aSlotThatIsAheadOfTheProgressRowIsRefused() throws Exception {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitConfirmed(A, 10);
    rig.running().drop(rig.index.name());
    rig.onLookup("UPDATE pgconcord.progress SET commit_lsn = '0/9' WHERE stream = 'shard-a'");
    assertThatThrownBy(this::blind)
        .asInstanceOf(InstanceOfAssertFactories.type(ConcordException.class))
        .extracting(ConcordException::code)
        .isEqualTo(ErrorCode.SLOT_LOST);
  }

  @Test
  void aSecondEngineFencesTheFirstOff() {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    try (Tails second = rig.engine()) {
      second.serve(rig.index, ServingMode.BLIND);
      rig.commit(A, 20, insert(a1, "y"));
      awaitEntries(Map.of("x", a1, "y", a1));
      awaitHeard("blocked cdc/engine-fenced");
    }
  }

  @Test
  void aChangeThatLacksANeededColumnBlocksTheIndexAndKeepsTheLog() {
    blind();
    RowImage renamed = new RowImage(Map.of("tenant_id", a1, "mail", "x"));
    rig.commit(A, 10, RowChange.insert(UsersByEmail.USERS, renamed));
    awaitHeard("blocked cdc/change-unreadable");
    assertThat(rig.confirmed(A)).isEqualTo(Lsn.ZERO);
  }

  @Test
  void aKeyThatIsTooLongForTheLookupTablesIndexBlocksTheIndex() {
    blind();
    String key =
        new Random(1).ints(4_000, 'A', 'z' + 1).mapToObj(Character::toString).collect(joining());
    rig.commit(A, 10, insert(a1, key));
    awaitHeard("blocked cdc/change-unreadable");
    assertThat(rig.confirmed(A)).isEqualTo(Lsn.ZERO);
  }

  @Test
  void anAlterThatTakesOldValuesFromTheStreamBlocksTheIndex() {
    rig.alterOwners(ErrorCode.REPLICA_IDENTITY.because("replica identity was changed"));
    blind();
    awaitHeard("blocked cdc/replica-identity");
  }

  @Test
  void aLargeTransactionIsAppliedInRounds() {
    blind();
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 25_000; i++) {
      changes.add(insert(a1, "u" + i));
    }
    rig.commit(A, 10, changes.toArray(RowChange[]::new));
    soon().untilAsserted(() -> assertThat(rig.entries()).hasSize(25_000));
  }

  // --- audit
  // ---------------------------------------------------------------------------------------

  @Test
  void auditAddsWhatADirectWriteLeftOut() throws Exception {
    audit();
    rig.onOwner(A, "INSERT INTO users VALUES (" + a1 + ", 1, 'x')");
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
  }

  @Test
  void auditRemovesWhatADirectDeleteLeftOver() throws Exception {
    rig.onLookup("INSERT INTO users_by_email (email, tenant_id) VALUES ('x', " + b1 + ")");
    audit();
    rig.commit(B, 10, delete(b1, "x"));
    awaitEntries(Map.of());
  }

  @Test
  void auditDoesNotBelieveAStreamThatIsBehind() throws Exception {
    rig.onOwner(A, "INSERT INTO users VALUES (" + a1 + ", 1, 'x')");
    rig.onLookup("INSERT INTO users_by_email (email, tenant_id) VALUES ('x', " + a1 + ")");
    audit();
    rig.commit(A, 10, delete(a1, "x"));
    rig.commit(A, 20, insert(a2, "gone before the stream told"));
    awaitConfirmed(A, 20);
    assertThat(rig.entries()).isEqualTo(Map.of("x", a1));
  }

  @Test
  void auditKeepsASecondOwnerUntilTheFirstGoes() throws Exception {
    rig.onOwner(A, "INSERT INTO users VALUES (" + a1 + ", 1, 'x')");
    rig.onOwner(B, "INSERT INTO users VALUES (" + b1 + ", 1, 'x')");
    rig.onLookup("INSERT INTO users_by_email (email, tenant_id) VALUES ('x', " + a1 + ")");
    audit();
    rig.commit(B, 10, insert(b1, "x"));
    awaitHeard("duplicate x");
    rig.onOwner(A, "DELETE FROM users WHERE email = 'x'");
    rig.commit(A, 10, delete(a1, "x"));
    awaitEntries(Map.of("x", b1));
    awaitHeard("resolved x");
  }

  @Test
  void auditOfATruncatedOwnerIsReported() {
    audit();
    rig.commit(B, 10, RowChange.truncate(UsersByEmail.USERS));
    awaitHeard("truncated app/shard-b");
  }

  @Test
  void aSweepRemovesSurplusThatNoStreamShows() throws Exception {
    rig.onOwner(A, "INSERT INTO users VALUES (" + a1 + ", 1, 'x')");
    String values = "('x', %s), ('y', %s), ('z', %s)".formatted(a1, b1, a2);
    rig.onLookup("INSERT INTO users_by_email (email, tenant_id) VALUES " + values);
    audit();
    rig.running().sweep(rig.index.name());
    awaitEntries(Map.of("x", a1));
  }

  // --- changes of mode
  // -----------------------------------------------------------------------------

  @Test
  void afterQuiesceTheStreamsWordAloneChangesNothing() throws Exception {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    rig.onOwner(A, "INSERT INTO users VALUES (" + a1 + ", 1, 'x')");
    rig.running().quiesceBlindWrites(rig.index.name());
    rig.commit(A, 20, delete(a1, "x"));
    awaitConfirmed(A, 20);
    assertThat(rig.entries()).isEqualTo(Map.of("x", a1));
  }

  @Test
  void blindApplicationBeginsAgainAtTheFenceAndReplaysWhatCameAfterIt() {
    audit();
    rig.commit(A, 10, insert(a1, "never there"));
    awaitConfirmed(A, 10);
    rig.running().hold(rig.index.name());
    rig.commit(A, 30, insert(a1, "x"));
    rig.commit(B, 30, insert(b1, "y"));
    soon()
        .untilAsserted(
            () -> assertThat(rig.running().positions().applied(A)).isEqualTo(new Lsn(30)));
    assertThat(rig.confirmed(A)).isEqualTo(new Lsn(10));
    rig.running().resumeBlindWrites(rig.index.name(), Map.of(A, new Lsn(20), B, new Lsn(20)));
    awaitEntries(Map.of("x", a1, "y", b1));
    awaitConfirmed(A, 30);
  }

  @Test
  void blindApplicationBeginsWhereTheAuditIsWhenThatIsBeforeTheFence() {
    audit();
    rig.commit(A, 10, insert(a1, "never there"));
    awaitConfirmed(A, 10);
    rig.running().hold(rig.index.name());
    rig.running().resumeBlindWrites(rig.index.name(), Map.of(A, new Lsn(20), B, new Lsn(20)));
    assertThat(rig.running().positions().applied(A)).isEqualTo(new Lsn(10));
    rig.commit(A, 15, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
  }

  @Test
  void whatIsSettledInAPauseStaysAndWhatCameMeanwhileIsApplied() throws Exception {
    blind();
    rig.commit(A, 10, insert(a1, "x"), insert(a1, "gone"));
    awaitEntries(Map.of("x", a1, "gone", a1));
    awaitConfirmed(A, 10);
    rig.onOwner(A, "INSERT INTO users (tenant_id, user_id, email) VALUES (" + a1 + ", 1, 'x')");
    rig.onLookup("INSERT INTO users_by_email (email, tenant_id) VALUES ('surplus', " + a2 + ")");
    StreamPause pause = rig.running().pause(rig.index.name());
    try (SettlementRunner settlements = rig.settlements()) {
      rig.commit(A, 20, delete(a1, "gone"), insert(a1, "y"));
      rig.commit(B, 20, insert(b1, "gone"));
      soon()
          .untilAsserted(
              () -> assertThat(rig.running().positions().applied(A)).isEqualTo(new Lsn(20)));
      assertThat(settlements.settle(Tuple.of("surplus"), null).kind())
          .isEqualTo(Outcome.Kind.REMOVED);
      assertThat(settlements.settle(Tuple.of("x"), Tuple.of(a1)).changed()).isFalse();
      assertThat(rig.entries()).isEqualTo(Map.of("x", a1, "gone", a1));
      assertThat(rig.confirmed(A)).isEqualTo(new Lsn(10));
      pause.end();
      assertThat(rig.running().positions().applied(A)).isLessThanOrEqualTo(new Lsn(20));
    }
    awaitEntries(Map.of("x", a1, "y", a1, "gone", b1));
    awaitConfirmed(A, 20);
    assertThat(rig.heard).isEmpty();
  }

  @Test
  void aDaemonThatEndsInAPauseGoesOnFromBeforeIt() throws Exception {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitConfirmed(A, 10);
    rig.running().pause(rig.index.name());
    rig.commit(A, 20, update(a1, "x", "y"));
    rig.restart(ServingMode.BLIND, true);
    awaitEntries(Map.of("y", a1));
    awaitConfirmed(A, 20);
  }

  @Test
  void theLogHasWhatCameAfterItWasAskedFor() throws Exception {
    blind();
    rig.commit(A, 10, insert(a1, "x"));
    awaitEntries(Map.of("x", a1));
    List<TransactionLog.Logged> logged = new ArrayList<>();
    try (Tails.Retention retention = rig.running().retain(rig.index.name())) {
      rig.commit(A, 20, update(a1, "x", "y"));
      awaitEntries(Map.of("y", a1));
      rig.running().log().forEach(rig.index.name(), A, logged::add);
      assertThat(retention).isNotNull();
    }
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0).commitLsn()).isEqualTo(new Lsn(20));
    assertThat(logged.get(0).xid()).isEqualTo(700);
    assertThat(logged.get(0).changes()).hasSize(2);
    logged.clear();
    rig.running().log().forEach(rig.index.name(), A, logged::add);
    assertThat(logged).isEmpty();
  }
}
