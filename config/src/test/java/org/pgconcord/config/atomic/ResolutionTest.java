package org.pgconcord.config.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.atomic.Resolution.Cases;
import org.pgconcord.config.atomic.Resolution.Limits;
import org.pgconcord.config.value.ShardId;

/**
 * Two shards with a PRE, a MAIN and a POST each: all 64 sets of what is prepared, with each set of
 * shards that do not answer, under each decision.
 */
class ResolutionTest {
  private static final String ROUTER = "00000000000000aa";
  private static final String ID = "00000000000000bb";
  private static final ShardId A = new ShardId("a");
  private static final ShardId B = new ShardId("b");
  private static final List<Participant> ALL =
      List.of(
          participant(Part.PRE, A),
          participant(Part.PRE, B),
          participant(Part.MAIN, A),
          participant(Part.MAIN, B),
          participant(Part.POST, A),
          participant(Part.POST, B));
  private static final List<Set<ShardId>> SILENT =
      List.of(Set.of(), Set.of(A), Set.of(B), Set.of(A, B));

  /** What a step asks for, as text and list. */
  private record Asked(String step, Optional<Decision> how, List<Participant> participants) {}

  private static final Cases<Asked> ASKED =
      new Cases<>() {
        @Override
        public Asked rest() {
          return new Asked("rest", Optional.empty(), List.of());
        }

        @Override
        public Asked decideAbort() {
          return new Asked("decide", Optional.empty(), List.of());
        }

        @Override
        public Asked end(Decision decision, List<Participant> participants) {
          return new Asked("end", Optional.of(decision), participants);
        }

        @Override
        public Asked await(List<Participant> silent) {
          return new Asked("await", Optional.empty(), silent);
        }

        @Override
        public Asked finish() {
          return new Asked("finish", Optional.empty(), List.of());
        }

        @Override
        public Asked forget() {
          return new Asked("forget", Optional.empty(), List.of());
        }
      };

  // --- one step, everywhere --------------------------------------------------------------------

  @Test
  void withoutDecisionNothingIsEnded() {
    everywhere(
        (prepared, silent) ->
            assertThat(next(undecided(false), prepared, silent).step()).isEqualTo("decide"));
  }

  @Test
  void aCommitEndsOnePartAtATimeAndNeverPastOneThatMayBeThere() {
    everywhere(
        (prepared, silent) -> {
          Asked asked = next(decided(Decision.COMMIT), prepared, silent);
          if (asked.step().equals("end")) {
            assertThat(asked.how()).contains(Decision.COMMIT);
            assertThat(asked.participants()).isNotEmpty().isSubsetOf(prepared);
            Part part = asked.participants().get(0).part();
            assertThat(asked.participants()).allMatch(p -> p.part() == part);
            assertThat(ALL)
                .filteredOn(p -> p.part().compareTo(part) < 0)
                .noneMatch(p -> prepared.contains(p) || silent.contains(p.shard()));
          }
        });
  }

  @Test
  void anAbortEndsAllThatIsThere() {
    everywhere(
        (prepared, silent) -> {
          Asked asked = next(decided(Decision.ABORT), prepared, silent);
          List<Participant> there =
              prepared.stream().filter(p -> !silent.contains(p.shard())).toList();
          if (!there.isEmpty()) {
            assertThat(asked.step()).isEqualTo("end");
            assertThat(asked.how()).contains(Decision.ABORT);
            assertThat(asked.participants()).containsExactlyInAnyOrderElementsOf(there);
          }
        });
  }

  @Test
  void finishedIsSaidOnlyWhenEveryShardHasSaidThatNothingIsThere() {
    for (Decision decision : Decision.values()) {
      everywhere(
          (prepared, silent) ->
              assertThat(next(decided(decision), prepared, silent).step().equals("finish"))
                  .isEqualTo(prepared.isEmpty() && silent.isEmpty()));
    }
  }

  @Test
  void whereNothingCanBeDoneTheSilentAreNamed() {
    for (Decision decision : Decision.values()) {
      everywhere(
          (prepared, silent) -> {
            Asked asked = next(decided(decision), prepared, silent);
            if (asked.step().equals("await")) {
              assertThat(asked.participants())
                  .isNotEmpty()
                  .allMatch(p -> silent.contains(p.shard()));
            }
          });
    }
  }

  // --- to the end ------------------------------------------------------------------------------

  @Test
  void stepAfterStepEndsEveryReachableWorldInOrder() {
    int worlds = 0;
    for (Decision decision : Decision.values()) {
      for (Set<Participant> prepared : subsets()) {
        if (decision == Decision.ABORT || inOrder(prepared)) {
          run(decision, prepared);
          worlds++;
        }
      }
    }
    assertThat(worlds).isEqualTo(64 + 10);
  }

  /** A commit that went in order has ended all of a part before any of the next. */
  private static boolean inOrder(Set<Participant> prepared) {
    Map<Part, Long> left = new EnumMap<>(Part.class);
    for (Part part : Part.values()) {
      left.put(part, prepared.stream().filter(p -> p.part() == part).count());
    }
    long pre = left.getOrDefault(Part.PRE, 0L);
    long main = left.getOrDefault(Part.MAIN, 0L);
    long post = left.getOrDefault(Part.POST, 0L);
    return (pre == 0 || main == 2) && (main == 0 || post == 2);
  }

  private static void run(Decision decision, Set<Participant> start) {
    Set<Participant> prepared = new java.util.HashSet<>(start);
    List<Part> ended = new ArrayList<>();
    for (int step = 0; step < 10; step++) {
      Asked asked = next(decided(decision), prepared, Set.of());
      if (asked.step().equals("finish")) {
        assertThat(prepared).isEmpty();
        assertThat(ended).hasSize(start.size());
        if (decision == Decision.COMMIT) {
          assertThat(ended).isSorted();
        }
        return;
      }
      assertThat(asked.step()).isEqualTo("end");
      assertThat(asked.how()).contains(decision);
      asked
          .participants()
          .forEach(
              p -> {
                assertThat(prepared.remove(p)).isTrue();
                ended.add(p.part());
              });
    }
    throw new AssertionError("no end from " + start);
  }

  // --- time ------------------------------------------------------------------------------------

  @Test
  void aLivingRouterIsLeftAloneForATime() {
    assertThat(next(undecided(true), Set.copyOf(ALL), Set.of()).step()).isEqualTo("rest");
    assertThat(step(transaction(true, 59, null, -1), Set.of()).step()).isEqualTo("rest");
    assertThat(step(transaction(true, 60, null, -1), Set.of()).step()).isEqualTo("decide");
    assertThat(step(transaction(true, 99, Decision.COMMIT, 4), Set.of()).step()).isEqualTo("rest");
    assertThat(step(transaction(true, 99, Decision.COMMIT, 5), Set.of()).step())
        .isEqualTo("finish");
    assertThat(step(transaction(false, 0, null, -1), Set.of()).step()).isEqualTo("decide");
    assertThat(step(transaction(false, 0, Decision.ABORT, 0), Set.of()).step()).isEqualTo("finish");
  }

  @Test
  void nowMeansNow() {
    AtomicTransaction young = transaction(true, 0, null, -1);
    assertThat(
            Resolution.next(young, sight(Set.of(), Set.of()), Limits.DEFAULT.now())
                .match(ASKED)
                .step())
        .isEqualTo("decide");
  }

  @Test
  void aFinishedOneIsKeptThenForgotten() {
    assertThat(step(finished(Duration.ofMinutes(59)), Set.of()).step()).isEqualTo("rest");
    assertThat(step(finished(Duration.ofMinutes(60)), Set.of()).step()).isEqualTo("forget");
    assertThat(step(finished(Duration.ofMinutes(60)), Set.of(A)).step()).isEqualTo("await");
  }

  @Test
  void whatComesBackAfterTheEndIsEndedAsDecided() {
    Asked asked = next(finished(Duration.ZERO), Set.of(ALL.get(3)), Set.of());
    assertThat(asked).isEqualTo(new Asked("end", Optional.of(Decision.COMMIT), ALL.subList(3, 4)));
  }

  @Test
  void aPersonIsToldWhatBecameOfEach() {
    Sight sight = sight(Set.of(ALL.get(0)), Set.of(B));
    assertThat(sight.state(ALL.get(0), Optional.empty())).isEqualTo(Sight.State.PREPARED);
    assertThat(sight.state(ALL.get(1), Optional.empty())).isEqualTo(Sight.State.UNREACHABLE);
    assertThat(sight.state(ALL.get(2), Optional.empty())).isEqualTo(Sight.State.NOT_PREPARED);
    assertThat(sight.state(ALL.get(2), Optional.of(Decision.COMMIT)))
        .isEqualTo(Sight.State.COMMITTED);
    assertThat(sight.state(ALL.get(2), Optional.of(Decision.ABORT)))
        .isEqualTo(Sight.State.ROLLED_BACK);
  }

  // --- worlds ----------------------------------------------------------------------------------

  private interface World {
    void holds(Set<Participant> prepared, Set<ShardId> silent);
  }

  private static void everywhere(World world) {
    for (Set<Participant> prepared : subsets()) {
      for (Set<ShardId> silent : SILENT) {
        world.holds(prepared, silent);
      }
    }
  }

  private static List<Set<Participant>> subsets() {
    List<Set<Participant>> subsets = new ArrayList<>();
    for (int bits = 0; bits < 1 << ALL.size(); bits++) {
      int chosen = bits;
      subsets.add(
          Set.copyOf(
              IntStream.range(0, ALL.size())
                  .filter(i -> (chosen & (1 << i)) != 0)
                  .mapToObj(ALL::get)
                  .toList()));
    }
    return subsets;
  }

  private static Asked next(
      AtomicTransaction transaction, Set<Participant> prepared, Set<ShardId> silent) {
    return Resolution.next(transaction, sight(prepared, silent), Limits.DEFAULT).match(ASKED);
  }

  private static Asked step(AtomicTransaction transaction, Set<ShardId> silent) {
    return next(transaction, Set.of(), silent);
  }

  private static Sight sight(Set<Participant> prepared, Set<ShardId> silent) {
    Map<ShardId, List<PreparedTransaction>> shards = new TreeMap<>();
    for (ShardId shard : new TreeSet<>(Set.of(A, B))) {
      if (!silent.contains(shard)) {
        shards.put(
            shard,
            ALL.stream()
                .filter(p -> p.shard().equals(shard) && prepared.contains(p))
                .map(
                    p ->
                        new PreparedTransaction(p.gid(), Optional.of("demo"), "app", Duration.ZERO))
                .toList());
      }
    }
    return Sight.of(shards);
  }

  private static AtomicTransaction undecided(boolean alive) {
    return transaction(alive, 0, null, -1);
  }

  private static AtomicTransaction decided(Decision decision) {
    return transaction(false, 0, decision, 0);
  }

  private static AtomicTransaction transaction(
      boolean alive,
      long age,
      @org.jspecify.annotations.Nullable Decision decision,
      long decidedAge) {
    return new AtomicTransaction(
        ID,
        ROUTER,
        alive,
        Duration.ofSeconds(age),
        Optional.ofNullable(decision)
            .map(d -> new AtomicTransaction.Decided(d, "router", Duration.ofSeconds(decidedAge))),
        Optional.empty(),
        ALL);
  }

  private static AtomicTransaction finished(Duration ago) {
    AtomicTransaction open = transaction(true, 9999, Decision.COMMIT, 9999);
    return new AtomicTransaction(
        open.id(),
        open.router(),
        open.routerAlive(),
        open.age(),
        open.decided(),
        Optional.of(ago),
        open.participants());
  }

  private static Participant participant(Part part, ShardId shard) {
    return new Participant(new GlobalId("0123456789ab", ROUTER, ID, part, shard), "app", "demo");
  }
}
