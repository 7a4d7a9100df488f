package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/**
 * Every branch of the machine, as scripts: where each command goes, what it is, what it answers.
 * The order of the lines is the order of the locks, which is the point of the procedure.
 */
class SettlementTest {
  private static final String X = "x@example.com";

  private final LookupIndex index = Indexes.byEmail(false);
  private final String onA = tenantOf(A, 0);
  private final String onB = tenantOf(B, 0);

  @Test
  void claimOfAFreeKeyAddsTheEntry() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT", "1")
        .ends(Outcome.Kind.ADDED, null);
  }

  @Test
  void claimKeepsTheWritersOwnEntryLocked() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT")
        .lookup("SAVEPOINT")
        .lookup("FOR UPDATE", onB)
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.KEPT, null);
  }

  @Test
  void claimTakesOverFromAnOwnerThatIsGone() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT")
        .lookup("SAVEPOINT")
        .lookup("FOR UPDATE", onA)
        .owner(A, "BEGIN")
        .owner(A, "pg_advisory_xact_lock(")
        .owner(A, "FROM \"public\".\"users\"")
        .lookup("UPDATE", "1")
        .owner(A, "ROLLBACK")
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.TAKEN_OVER, null);
  }

  @Test
  void claimOfALiveKeyLetsGoOfEverythingBeforeItWaits() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT")
        .lookup("SAVEPOINT")
        .lookup("FOR UPDATE", onA)
        .owner(A, "BEGIN")
        .owner(A, "pg_advisory_xact_lock(")
        .owner(A, "FROM \"public\".\"users\"", "1")
        .owner(A, "ROLLBACK")
        .lookup("ROLLBACK TO SAVEPOINT")
        .owner(A, "FOR KEY SHARE", "1")
        .lookup("ROLLBACK TO SAVEPOINT")
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.DUPLICATE, onA);
  }

  @Test
  void claimStartsAgainWhenTheRowThatItWaitedForWent() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT")
        .lookup("SAVEPOINT")
        .lookup("FOR UPDATE", onA)
        .owner(A, "BEGIN")
        .owner(A, "pg_advisory_xact_lock(")
        .owner(A, "FROM \"public\".\"users\"", "1")
        .owner(A, "ROLLBACK")
        .lookup("ROLLBACK TO SAVEPOINT")
        .owner(A, "FOR KEY SHARE")
        .lookup("INSERT", "1")
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.ADDED, null);
  }

  @Test
  void claimStartsAgainWhenTheEntryWentBeforeItWasLocked() {
    script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
        .lookup("INSERT")
        .lookup("SAVEPOINT")
        .lookup("FOR UPDATE")
        .lookup("INSERT", "1")
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.ADDED, null);
  }

  @Test
  void claimThatAlwaysComesTooLateGivesUp() {
    Script script =
        script(Settlement.claim(index, new Entry(Tuple.of(X), Tuple.of(onB))))
            .lookup("INSERT")
            .lookup("SAVEPOINT")
            .lookup("FOR UPDATE");
    for (int round = 1; round < 16; round++) {
      script.lookup("INSERT").lookup("FOR UPDATE");
    }
    script
        .lookup("ROLLBACK TO SAVEPOINT")
        .lookup("RELEASE SAVEPOINT")
        .ends(Outcome.Kind.UNSETTLED, null);
  }

  @Test
  void auditKeepsAnEntryWhoseOwnerIsThere() {
    script(Settlement.audit(index, Tuple.of(X), null))
        .lookup("BEGIN")
        .lookup("FOR UPDATE", onB)
        .owner(B, "BEGIN")
        .owner(B, "pg_advisory_xact_lock(")
        .owner(B, "FROM \"public\".\"users\"", "1")
        .owner(B, "ROLLBACK")
        .lookup("ROLLBACK")
        .ends(Outcome.Kind.KEPT, onB);
  }

  @Test
  void auditRemovesSurplus() {
    script(Settlement.audit(index, Tuple.of(X), null))
        .lookup("BEGIN")
        .lookup("FOR UPDATE", onB)
        .owner(B, "BEGIN")
        .owner(B, "pg_advisory_xact_lock(")
        .owner(B, "FROM \"public\".\"users\"")
        .lookup("DELETE", "1")
        .lookup("COMMIT")
        .owner(B, "ROLLBACK")
        .ends(Outcome.Kind.REMOVED, null);
  }

  @Test
  void auditAddsAMissingEntryBeforeItReadsTheOwner() {
    script(Settlement.audit(index, Tuple.of(X), Tuple.of(onB)))
        .lookup("BEGIN")
        .lookup("FOR UPDATE")
        .lookup("ROLLBACK")
        .lookup("BEGIN")
        .lookup("INSERT", "1")
        .owner(B, "FROM \"public\".\"users\"", "1")
        .lookup("COMMIT")
        .ends(Outcome.Kind.ADDED, null);
  }

  @Test
  void auditTakesBackAnEntryWhoseOwnerIsNotThere() {
    script(Settlement.audit(index, Tuple.of(X), Tuple.of(onB)))
        .lookup("BEGIN")
        .lookup("FOR UPDATE")
        .lookup("ROLLBACK")
        .lookup("BEGIN")
        .lookup("INSERT", "1")
        .owner(B, "FROM \"public\".\"users\"")
        .lookup("ROLLBACK")
        .ends(Outcome.Kind.ABSENT, null);
  }

  @Test
  void auditOfNothingFindsNothing() {
    script(Settlement.audit(index, Tuple.of(X), null))
        .lookup("BEGIN")
        .lookup("FOR UPDATE")
        .lookup("ROLLBACK")
        .ends(Outcome.Kind.ABSENT, null);
  }

  @Test
  void auditRepairsAWrongOwner() {
    script(Settlement.audit(index, Tuple.of(X), Tuple.of(onB)))
        .lookup("BEGIN")
        .lookup("FOR UPDATE", onA)
        .owner(A, "BEGIN")
        .owner(A, "pg_advisory_xact_lock(")
        .owner(A, "FROM \"public\".\"users\"")
        .lookup("DELETE", "1")
        .lookup("COMMIT")
        .owner(A, "ROLLBACK")
        .lookup("BEGIN")
        .lookup("INSERT", "1")
        .owner(B, "FROM \"public\".\"users\"", "1")
        .lookup("COMMIT")
        .ends(Outcome.Kind.ADDED, null);
  }

  @Test
  void auditReportsASecondOwner() {
    script(Settlement.audit(index, Tuple.of(X), Tuple.of(onB)))
        .lookup("BEGIN")
        .lookup("FOR UPDATE", onA)
        .owner(A, "BEGIN")
        .owner(A, "pg_advisory_xact_lock(")
        .owner(A, "FROM \"public\".\"users\"", "1")
        .owner(A, "ROLLBACK")
        .lookup("ROLLBACK")
        .owner(B, "FROM \"public\".\"users\"", "1")
        .ends(Outcome.Kind.DUPLICATE, onA);
  }

  @Test
  void auditLooksAgainWhenAnEntryAppearsMeanwhile() {
    script(Settlement.audit(index, Tuple.of(X), Tuple.of(onB)))
        .lookup("BEGIN")
        .lookup("FOR UPDATE")
        .lookup("ROLLBACK")
        .lookup("BEGIN")
        .lookup("INSERT")
        .lookup("ROLLBACK")
        .lookup("BEGIN")
        .lookup("FOR UPDATE", onB)
        .owner(B, "BEGIN")
        .owner(B, "pg_advisory_xact_lock(")
        .owner(B, "FROM \"public\".\"users\"", "1")
        .owner(B, "ROLLBACK")
        .lookup("ROLLBACK")
        .ends(Outcome.Kind.KEPT, onB);
  }

  private static Script script(Step first) {
    return new Script(first);
  }

  /** Plays the servers: each line checks the next command and answers it. */
  private static final class Script {
    private Step step;
    private final List<String> seen = new ArrayList<>();

    Script(Step first) {
      this.step = first;
    }

    Script lookup(String part, String... values) {
      return answer(new Step.Place(Step.Session.LOOKUP, A), part, values);
    }

    Script owner(ShardId shard, String part, String... values) {
      return answer(new Step.Place(Step.Session.OWNER, shard), part, values);
    }

    private Script answer(Step.Place place, String part, String... values) {
      assertThat(step).as("after %s", seen).isInstanceOf(Step.Send.class);
      Step.Send send = (Step.Send) step;
      seen.add(send.command().place().session() + " " + send.command().statement().sql());
      assertThat(send.command().place()).as("%s", seen).isEqualTo(place);
      assertThat(send.command().statement().sql()).as("%s", seen).contains(part);
      List<List<@Nullable String>> rows = new ArrayList<>();
      for (String value : values) {
        rows.add(List.of(value));
      }
      step = send.then().answer(rows);
      return this;
    }

    void ends(Outcome.Kind kind, @Nullable String holder) {
      assertThat(step)
          .as("after %s", seen)
          .isEqualTo(new Step.Done(new Outcome(kind, holder == null ? null : Tuple.of(holder))));
    }
  }
}
