package org.pgconcord.config.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/**
 * Table t on a, b, c led by a, table u on b, c led by b, and entries: c, then b, then a, whoever
 * commits and whichever shard is down meanwhile.
 */
class CommitOrderTest {
  private static final Participant PRE = participant(Part.PRE, "a");
  private static final Participant COPY = participant(Part.MAIN, "c");
  private static final Participant LEADS_U = participant(Part.LEAD, "b");
  private static final Participant LEADS_T = participant(Part.LEAD, "a");
  private static final Participant POST = participant(Part.POST, "a");
  private static final List<Participant> ORDER = List.of(PRE, COPY, LEADS_U, LEADS_T, POST);

  @Test
  void leadersCommitOneByOneFromTheHighestUid() {
    Random random = new Random(7);
    List<Participant> all = new ArrayList<>(ORDER);
    for (int i = 0; i < 50; i++) {
      Collections.shuffle(all, random);
      assertThat(CommitOrder.of(all)).isEqualTo(ORDER.stream().map(List::of).toList());
      all.sort(java.util.Comparator.comparing(Participant::gid, CommitOrder.BY_NAME));
      assertThat(all).isEqualTo(ORDER);
    }
  }

  @Test
  void recoveryKeepsTheOrderPastNobodyWhoMayBeThere() {
    for (int ended = 0; ended < ORDER.size(); ended++) {
      List<Participant> left = ORDER.subList(ended, ORDER.size());
      assertThat(step(left, "none")).isEqualTo("commit " + left.subList(0, 1));
      String silent = left.get(0).shard().uid();
      String next = step(left, silent);
      // The silent shard may have answered for what comes later only by not answering at all.
      assertThat(next).as("without " + silent).startsWith("await");
    }
  }

  private static String step(List<Participant> prepared, String silent) {
    Map<ShardId, List<PreparedTransaction>> seen = new TreeMap<>();
    for (String shard : List.of("a", "b", "c")) {
      if (!shard.equals(silent)) {
        seen.put(
            new ShardId(shard),
            prepared.stream()
                .filter(p -> p.shard().uid().equals(shard))
                .map(
                    p ->
                        new PreparedTransaction(p.gid(), Optional.of("demo"), "app", Duration.ZERO))
                .toList());
      }
    }
    AtomicTransaction transaction =
        new AtomicTransaction(
            "00000000000000bb",
            "00000000000000aa",
            false,
            Duration.ZERO,
            Optional.of(new AtomicTransaction.Decided(Decision.COMMIT, "router", Duration.ZERO)),
            Optional.empty(),
            ORDER);
    return Resolution.next(transaction, Sight.of(seen), Resolution.Limits.DEFAULT).match(WORDS);
  }

  private static final Resolution.Cases<String> WORDS =
      new Resolution.Cases<>() {
        @Override
        public String rest() {
          return "rest";
        }

        @Override
        public String decideAbort() {
          return "abort";
        }

        @Override
        public String end(Decision decision, List<Participant> participants) {
          return decision.word() + " " + participants;
        }

        @Override
        public String await(List<Participant> silent) {
          return "await " + silent;
        }

        @Override
        public String finish() {
          return "finish";
        }

        @Override
        public String forget() {
          return "forget";
        }
      };

  private static Participant participant(Part part, String shard) {
    return new Participant(
        new GlobalId(
            "0123456789ab", "00000000000000aa", "00000000000000bb", part, new ShardId(shard)),
        "app",
        "demo");
  }
}
