package org.pgconcord.state.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgconcord.config.catalog.GsiState;

/** All states times all events, compared with life-cycle.txt. */
class GsiLifecycleTest {
  @Test
  void everyPairIsAsTheTableSays() throws IOException {
    assertThat(String.join("\n", table())).isEqualTo(String.join("\n", expected()));
  }

  /** Blind writes have ended before routers can know that they may write. */
  @ParameterizedTest
  @EnumSource(GsiState.class)
  void nothingBecomesMaintainedBeforeBlindWritesHaveEnded(GsiState state) {
    for (GsiEvent event : GsiEvent.values()) {
      Transition transition = GsiLifecycle.on(state, event);
      if (!state.maintained() && transition.state().maintained()) {
        List<GsiAction> actions = transition.actions();
        assertThat(actions.indexOf(GsiAction.QUIESCE_BLIND_WRITES))
            .isNotNegative()
            .isLessThan(actions.indexOf(GsiAction.PUBLISH));
      }
    }
  }

  /** A reader with an old plan finds the new epoch before a router stops maintaining. */
  @ParameterizedTest
  @EnumSource(GsiState.class)
  void nothingStopsBeingReadWithoutANewReadEpoch(GsiState state) {
    for (GsiEvent event : GsiEvent.values()) {
      Transition transition = GsiLifecycle.on(state, event);
      if (state.readable() && !transition.state().readable()) {
        assertThat(transition.actions()).contains(GsiAction.RAISE_READ_EPOCH);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(GsiState.class)
  void aStateThatMovesIsPublished(GsiState state) {
    for (GsiEvent event : GsiEvent.values()) {
      Transition transition = GsiLifecycle.on(state, event);
      boolean moves = transition.kind() == Transition.Kind.MOVES;
      assertThat(transition.state() != state).isEqualTo(moves);
      assertThat(transition.actions().contains(GsiAction.PUBLISH)).isEqualTo(moves);
    }
  }

  private static List<String> table() {
    return Arrays.stream(GsiState.values())
        .flatMap(state -> Arrays.stream(GsiEvent.values()).map(event -> line(state, event)))
        .toList();
  }

  private static String line(GsiState state, GsiEvent event) {
    Transition transition = GsiLifecycle.on(state, event);
    String end =
        switch (transition.kind()) {
          case MOVES -> transition.state().word();
          case STAYS -> "stays";
          case REFUSED -> "refused";
        };
    String actions =
        transition.actions().stream().map(a -> word(a)).collect(Collectors.joining(" "));
    return "%s %s -> %s: %s".formatted(state.word(), word(event), end, actions).strip();
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static List<String> expected() throws IOException {
    try (InputStream file = GsiLifecycleTest.class.getResourceAsStream("life-cycle.txt")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }
}
