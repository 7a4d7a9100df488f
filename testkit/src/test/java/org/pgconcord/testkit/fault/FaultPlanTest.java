package org.pgconcord.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
  private static final Link MAIN = new Link("shard-b", "demo", "", 1);
  private static final Link PRE = new Link("shard-a", "pgconcord", "pgconcord", 1);

  private final FaultPlan plan = new FaultPlan();

  @Test
  void theNthMessageThatFitsGetsTheActionOnce() {
    plan.replace(
        List.of(
            Rule.on(Direction.TO_SERVER)
                .server("shard-b")
                .user("demo")
                .kinds("QP")
                .nth(2)
                .then(new Action.Cut())));

    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Pass());
    assertThat(decide(PRE, 'Q')).isEqualTo(new Action.Pass());
    assertThat(decide(MAIN, 'S')).isEqualTo(new Action.Pass());
    assertThat(answer(MAIN, 'Q')).isEqualTo(new Action.Pass());
    assertThat(plan.acted()).isZero();
    assertThat(decide(MAIN, 'P')).isEqualTo(new Action.Cut());
    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Pass());
    assertThat(plan.acted()).isEqualTo(1);
  }

  @Test
  void linksAreToldApartByApplicationAndNumber() {
    plan.replace(
        List.of(
            Rule.on(Direction.TO_SERVER).application("pgconcord").then(new Action.Drop()),
            Rule.on(Direction.TO_SERVER).link(MAIN::equals).then(new Action.Reset())));

    assertThat(decide(new Link("shard-b", "demo", "", 2), 'Q')).isEqualTo(new Action.Pass());
    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Reset());
    assertThat(decide(PRE, 'Q')).isEqualTo(new Action.Drop());
  }

  @Test
  void theFirstOfTwoRulesDecidesAndBothCount() {
    plan.replace(
        List.of(
            Rule.on(Direction.TO_SERVER).nth(2).then(new Action.Drop()),
            Rule.on(Direction.TO_SERVER).nth(2).then(new Action.Duplicate()),
            Rule.on(Direction.TO_SERVER).nth(3).then(new Action.Cut())));

    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Pass());
    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Drop());
    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Cut());
  }

  @Test
  void countsBeginAnewWithNewRules() {
    Rule second = Rule.on(Direction.TO_SERVER).nth(2).then(new Action.Cut());
    plan.replace(List.of(second));
    decide(MAIN, 'Q');
    plan.replace(List.of(second));

    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Pass());
    assertThat(decide(MAIN, 'Q')).isEqualTo(new Action.Cut());
  }

  @Test
  void messagesAreCountedFrom1() {
    Rule.Draft draft = Rule.on(Direction.TO_CLIENT).nth(0);
    assertThatThrownBy(() -> draft.then(new Action.Cut()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Action decide(Link link, char kind) {
    return plan.decide(link, new Message(Direction.TO_SERVER, kind, new byte[5]));
  }

  private Action answer(Link link, char kind) {
    return plan.decide(link, new Message(Direction.TO_CLIENT, kind, new byte[5]));
  }
}
