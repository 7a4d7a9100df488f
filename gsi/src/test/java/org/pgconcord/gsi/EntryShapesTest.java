package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.TwoShards.A;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** What an entry is made of, for indexes over several columns, by row, and not unique. */
class EntryShapesTest {
  private final LookupIndex byName = index(List.of("name"), List.of("tenant_id", "user_id"), false);
  private final LookupIndex byBoth = index(List.of("email", "name"), List.of("user_id"), true);
  private final String onA = TwoShards.tenantOf(A, 0);

  @Test
  void aColumnThatTwoPartsNameIsStoredOnce() {
    assertThat(names(byName.columns())).isEqualTo("name, tenant_id, user_id");
    assertThat(names(byName.identity())).isEqualTo("name, tenant_id, user_id");
    assertThat(byName.holder()).isEmpty();
    assertThat(names(byBoth.identity())).isEqualTo("email, name");
    assertThat(names(byBoth.holder())).isEqualTo("tenant_id, user_id");
  }

  @Test
  void anEntryIsTakenApartInTheOrderOfItsColumns() {
    Entry entry = byBoth.entry(Tuple.of("e", "n", onA, "7"));
    assertThat(entry).isEqualTo(new Entry(Tuple.of("e", "n"), Tuple.of(onA, "7")));
    assertThat(byBoth.keyOf(entry)).isEqualTo(Tuple.of("e", "n"));
    assertThat(byBoth.shardKeyOf(entry)).isEqualTo(Tuple.of(onA));
    assertThat(byBoth.ownerOf(entry)).isEqualTo(Tuple.of(onA, "7"));
    assertThat(byBoth.shardOf(entry)).isEqualTo(A);
    Entry one = byName.entry(Tuple.of("n", onA, "7"));
    assertThat(one.holder()).isEqualTo(Tuple.EMPTY);
    assertThat(byName.shardOf(one)).isEqualTo(A);
  }

  @Test
  void aNullInAnyIndexedColumnMeansNoEntryAndElsewhereAViolation() {
    EntryDeriver deriver = new EntryDeriver(byBoth);
    assertThat(deriver.derive(Arrays.asList("e", null, "1", "7")))
        .isEqualTo(new Derivation.Ignored());
    assertThat(deriver.derive(Arrays.asList(null, "n", "1", "7")))
        .isEqualTo(new Derivation.Ignored());
    assertThat(deriver.derive(Arrays.asList(null, "n", "1", null)))
        .isEqualTo(new Derivation.NullViolation("user_id"));
  }

  @Test
  void entriesOfOneKeyTakeKeyLocksOfTheirOwn() {
    assertThat(byName.keyLock(Tuple.of("n", "1", "7")))
        .isNotEqualTo(byName.keyLock(Tuple.of("n", "1", "8")));
  }

  @Test
  void theLookupTableHasTheIdentityAsItsPrimaryKey() {
    assertThat(LookupDdl.createTable(byName).get(0))
        .endsWith("PRIMARY KEY (\"name\", \"tenant_id\", \"user_id\"))");
    assertThat(LookupDdl.createTable(byBoth).get(0)).endsWith("PRIMARY KEY (\"email\", \"name\"))");
  }

  @Test
  void theOwnerOfAnEntryIsTheRowThatEqualsItInAllColumns() {
    assertThat(new EntrySql(byName).owner(byName.entry(Tuple.of("n", "1", "7"))).sql())
        .contains("\"name\" = $1 AND \"tenant_id\" = $2 AND \"user_id\" = $3");
    assertThat(new EntrySql(byBoth).takeOver(byBoth.entry(Tuple.of("e", "n", "1", "7"))).sql())
        .endsWith("WHERE \"email\" = $1 AND \"name\" = $2 RETURNING 1");
  }

  /** Nothing but the very row can hold it: no lock on an owner shard, no row read there. */
  @Test
  void aClaimOfAnEntryThatIsThereKeepsIt() {
    Entry entry = byName.entry(Tuple.of("n", onA, "7"));
    Step step = Settlement.claim(byName, entry);
    for (List<List<String>> answer :
        List.<List<List<String>>>of(List.of(), List.of(), List.of(List.of("1")), List.of())) {
      Step.Send send = (Step.Send) step;
      assertThat(send.command().place().session()).isEqualTo(Step.Session.LOOKUP);
      step = send.then().answer(List.copyOf(answer));
    }
    assertThat(step).isEqualTo(new Step.Done(Outcome.of(Outcome.Kind.KEPT)));
  }

  private static String names(List<IndexColumn> columns) {
    return columns.stream().map(IndexColumn::name).collect(Collectors.joining(", "));
  }

  private static LookupIndex index(List<String> columns, List<String> primaryKey, boolean unique) {
    Gsi gsi =
        new Gsi(
            new GsiName("app", "by_shape"),
            UsersByEmail.LOOKUP,
            UsersByEmail.USERS,
            columns,
            List.of("tenant_id"),
            primaryKey,
            unique,
            true,
            false);
    DeclaredIndex declared = UsersByEmail.declared(true);
    return LookupIndex.resolve(
        TwoShards.topology(gsi, UsersByEmail.COUNTRIES), declared.owner(), gsi);
  }
}
