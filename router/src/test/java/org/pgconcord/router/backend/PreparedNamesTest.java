package org.pgconcord.router.backend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgconcord.router.wire.ParameterTypes;

class PreparedNamesTest {
  private static PreparedNames.Key key(String sql, int... types) {
    return new PreparedNames.Key(sql, new ParameterTypes(types));
  }

  @Test
  void aNameCountsOnceConfirmed() {
    PreparedNames names = new PreparedNames(2);
    String name = names.propose();
    assertThat(names.find(key("a"))).isEmpty();
    names.confirm(key("a"), name);
    assertThat(names.find(key("a"))).contains(name);
    assertThat(names.find(key("a", 23))).isEmpty();
  }

  @Test
  void theLeastRecentlyUsedIsClosed() {
    PreparedNames names = new PreparedNames(2);
    names.confirm(key("a"), "c1");
    names.confirm(key("b"), "c2");
    names.find(key("a"));
    names.confirm(key("c"), "c3");
    assertThat(names.takeToClose()).containsExactly("c2");
    assertThat(names.takeToClose()).isEmpty();
    assertThat(names.find(key("b"))).isEmpty();
  }

  @Test
  void aForgottenOneIsParsedAgain() {
    PreparedNames names = new PreparedNames(2);
    names.confirm(key("a"), "c1");
    names.forget(key("a"));
    assertThat(names.find(key("a"))).isEmpty();
    assertThat(names.takeToClose()).containsExactly("c1");
  }
}
