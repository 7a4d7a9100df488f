package org.pgconcord.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CutPointTest {
  private static final Link MAIN = new Link("shard-b", "demo", "", 1);

  @Test
  void everyMessageOfEachDirectionIsAPoint() {
    Journal journal = new Journal();
    journal.note(MAIN, new Message(Direction.TO_SERVER, 'Q', new byte[5]));
    journal.note(MAIN, new Message(Direction.TO_CLIENT, 'C', new byte[5]));
    journal.note(MAIN, new Message(Direction.TO_CLIENT, 'Z', new byte[6]));

    assertThat(CutPoint.of(journal))
        .containsExactlyInAnyOrder(
            new CutPoint(MAIN, Direction.TO_SERVER, 1, 'Q'),
            new CutPoint(MAIN, Direction.TO_CLIENT, 1, 'C'),
            new CutPoint(MAIN, Direction.TO_CLIENT, 2, 'Z'));
  }

  @Test
  void aPointsRuleActsAtItsMessage() {
    FaultPlan plan = new FaultPlan();
    Message answer = new Message(Direction.TO_CLIENT, 'Z', new byte[6]);
    plan.replace(List.of(new CutPoint(MAIN, Direction.TO_CLIENT, 2, 'Z').then(new Action.Cut())));

    assertThat(plan.decide(MAIN, answer)).isEqualTo(new Action.Pass());
    assertThat(plan.decide(MAIN, new Message(Direction.TO_SERVER, 'Q', new byte[5])))
        .isEqualTo(new Action.Pass());
    assertThat(plan.decide(MAIN, answer)).isEqualTo(new Action.Cut());
  }
}
