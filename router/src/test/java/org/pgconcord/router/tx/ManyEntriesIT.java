package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendRole;

/** Statements that change thousands of entries: in few steps, and as true as one at a time. */
class ManyEntriesIT {
  private static final int ROWS = 5_000;
  private static final String ON_A = tenantOf(A, 0);
  private static final String ALSO_ON_A = tenantOf(A, 1);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ALSO_ON_B = tenantOf(B, 1);

  private static Shards shards;
  private final KillBefore counter =
      new KillBefore(Integer.MAX_VALUE, role -> false, BackendRole.PRE);
  private WriterSession writer;

  @BeforeAll
  static void start() throws SQLException {
    shards = new Shards();
  }

  @AfterAll
  static void stop() {
    shards.close();
  }

  @BeforeEach
  void open() {
    shards.empty();
    writer = new WriterSession(shards, "many", Duration.ofSeconds(5), counter::around);
  }

  @AfterEach
  void close() {
    writer.close();
  }

  @Test
  void thousandsOfRowsTakeAFewStatements() {
    for (String tenant : List.of(ON_A, ON_B)) {
      int before = counter.statements();
      assertThat(writer.attempt(() -> writer.insertMany(tenant, 1, ROWS))).isEmpty();
      assertThat(shards.entries()).hasSize(ROWS);
      entriesAreTrue();
      assertThat(writer.attempt(() -> writer.deleteMany(tenant, 1, ROWS))).isEmpty();
      assertThat(shards.entries()).isEmpty();
      assertThat(counter.statements() - before).isLessThan(40);
    }
    assertThat(writer.suspects).isEmpty();
  }

  @Test
  void whatIsInTheWayIsSettledAmongTheRest() {
    for (String tenant : List.of(ON_A, ON_B)) {
      shards.empty();
      for (String holder : List.of(ON_A, ALSO_ON_A, ON_B, ALSO_ON_B)) {
        shards.run(
            A,
            "INSERT INTO users_by_email SELECT 'm' || i, %s FROM generate_series(%s * 7, 900, 97) i ON CONFLICT DO NOTHING"
                .formatted(holder, holder));
      }
      assertThat(shards.entries()).hasSizeGreaterThan(20);
      assertThat(writer.attempt(() -> writer.insertMany(tenant, 1, 1_000))).isEmpty();
      assertThat(shards.entries()).hasSize(1_000);
      entriesAreTrue();
    }
  }

  @Test
  void oneDuplicateAmongThemUndoesAll() {
    for (String tenant : List.of(ON_A, ON_B)) {
      for (String owner : List.of(ALSO_ON_A, ALSO_ON_B)) {
        shards.empty();
        assertThat(writer.tryInsert(owner, 1, "m700")).isEmpty();
        writer.begin();
        Throwable failure = catchThrowable(() -> writer.insertMany(tenant, 1, 1_000));
        writer.rollback();
        assertThat(failure.getCause())
            .isInstanceOfSatisfying(
                ConcordException.class,
                error -> {
                  assertThat(error.code()).isEqualTo(ErrorCode.GSI_DUPLICATE_KEY);
                  assertThat(error.detail()).isEqualTo("Key (email)=(m700) already exists.");
                });
        assertThat(shards.owners()).isEqualTo(Map.of("m700", List.of(owner)));
        entriesAreTrue();
      }
    }
  }

  @Test
  void deletedAndInsertedAgainUnderASavepointTheyStay() {
    for (String tenant : List.of(ON_A, ON_B)) {
      shards.empty();
      assertThat(writer.attempt(() -> writer.insertMany(tenant, 1, 500))).isEmpty();
      String result =
          writer.attempt(
              () -> {
                writer.deleteMany(tenant, 1, 300);
                writer.savepoint("s");
                writer.insertMany(tenant, 101, 200);
                writer.insertMany(tenant, 501, 600);
                writer.deleteMany(tenant, 151, 550);
                writer.rollbackTo("s");
                writer.insertMany(tenant, 201, 300);
                writer.insertMany(tenant, 701, 800);
                writer.deleteMany(tenant, 751, 760);
              });
      assertThat(result).isEmpty();
      assertThat(shards.owners()).hasSize(390);
      entriesAreTrue();
    }
  }

  private static void entriesAreTrue() {
    Map<String, String> expected = new TreeMap<>();
    shards.owners().forEach((email, tenants) -> expected.put(email, String.join(",", tenants)));
    assertThat(new TreeMap<>(shards.entries())).isEqualTo(expected);
  }
}
