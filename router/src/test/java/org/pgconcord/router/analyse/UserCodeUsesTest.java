package org.pgconcord.router.analyse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.schema.Reach;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.router.analyse.FunctionCalls.Call;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.sql.StatementText;

class UserCodeUsesTest {
  private static final UserCode CODE =
      new UserCode(
          Map.of(
              "abs", Reach.NOTHING,
              "isnull", Reach.NOTHING,
              "worth", Reach.NOTHING,
              "twice", Reach.EVERYWHERE,
              "upper", Reach.EVERYWHERE,
              "sum", Reach.EVERYWHERE),
          Map.of("similar_to", Reach.EVERYWHERE, "now", Reach.NOTHING, "mac", Reach.NOTHING),
          Set.of("worth", "twice"),
          Map.of(
              "*", Reach.NOTHING,
              "=", Reach.NOTHING,
              "~~", Reach.NOTHING,
              "<->", Reach.NOTHING),
          Map.of("medal", Reach.NOTHING),
          Map.of("badge", Reach.NOTHING),
          Optional.empty(),
          Map.of(),
          true);

  private static List<String> users(String sql, UserCode code) {
    return UserCodeUses.calls(StatementText.one(sql).tokens(), code).stream()
        .filter(call -> UserCodeUses.kind(call, true, code) == Kind.UNKNOWN)
        .map(Call::called)
        .distinct()
        .toList();
  }

  private static List<String> users(String sql) {
    return users(sql, CODE);
  }

  @Test
  void aNameThatUsersHaveGivenIsTakenForTheirs() {
    assertThat(users("SELECT ABS(a), upper(b) FROM t")).containsExactly("abs()");
    assertThat(users("SELECT isnull(a)")).containsExactly("isnull()");
    assertThat(users("SELECT pg_catalog.abs(a)")).isEmpty();
    assertThat(users("SELECT (a::text).abs")).containsExactly("abs()");
    assertThat(users("SELECT t.worth, t.abs FROM t")).containsExactly("worth()");
  }

  @Test
  void whatIsTheSameEverywhereIsTakenLikePostgresqlsOwn() {
    assertThat(users("SELECT twice(a), public.twice(a), upper(b), similar_to(a, b), now()"))
        .isEmpty();
    assertThat(UserCodeUses.kind(new Call("", "twice"), true, CODE)).isEqualTo(Kind.READ_ONLY);
    assertThat(UserCodeUses.kind(new Call("", "upper"), false, CODE)).isEqualTo(Kind.READ_ONLY);
    assertThat(users("SELECT sum(a), mac(a), public.now(), lower(b)"))
        .containsExactly("sum()", "mac()", "public.now()");
    assertThat(users("SELECT t.twice FROM t")).containsExactly("twice()");
  }

  @Test
  void operatorsAreFoundBehindTheWordsOfTheGrammar() {
    assertThat(users("SELECT a <-> b")).containsExactly("operator <->");
    assertThat(users("SELECT a OPERATOR(public.<->) b")).containsExactly("operator <->");
    assertThat(users("SELECT a OPERATOR(pg_catalog.<->) b")).isEmpty();
    assertThat(users("SELECT 1 WHERE a NOT LIKE b")).containsExactly("operator ~~");
    assertThat(users("SELECT 1 WHERE a IN (b)")).containsExactly("operator =");
    assertThat(users("SELECT NULLIF(a, b)")).containsExactly("operator =");
  }

  @Test
  void allColumnsAreNoMultiplication() {
    assertThat(users("SELECT *, t.*, count(*) FROM t")).isEmpty();
    assertThat(users("SELECT a * b, (a) * b FROM t")).containsExactly("operator *");
  }

  @Test
  void aCastIsUsedWhereItsTypeIsNamed() {
    assertThat(users("SELECT m FROM medal")).containsExactly("a user's cast");
    assertThat(users("SELECT n FROM badge")).isEmpty();
    assertThat(users("SELECT n::int FROM badge")).containsExactly("a user's cast");
    assertThat(users("SELECT CAST(n AS int) FROM other")).isEmpty();
  }

  @Test
  void withoutCodeOfUsersEverythingIsPostgresqls() {
    assertThat(
            users("SELECT abs(a) <-> b, m::medal FROM t WHERE a LIKE b AND a = 1", UserCode.NONE))
        .isEmpty();
  }
}
