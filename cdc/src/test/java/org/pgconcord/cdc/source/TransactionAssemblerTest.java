package org.pgconcord.cdc.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.RowImage;
import org.pgconcord.state.store.StateStore;

class TransactionAssemblerTest {
  private static final TableName USERS = new TableName("public", "users");
  private final AtomicLong numbers = new AtomicLong();
  private StateStore store;
  private TransactionAssembler assembler;

  @BeforeEach
  void open(@TempDir Path directory) {
    store = StateStore.open(directory);
    assembler = new TransactionAssembler(store, "slot", 3, numbers::getAndIncrement);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void rowsBetweenBeginAndEndAreOneTransaction() {
    begin(7);
    row(7, "a");
    row(7, "b");
    SourceTransaction transaction = end(7, 100, 2);
    assertThat(transaction.xid()).isEqualTo(7);
    assertThat(transaction.commitLsn()).isEqualTo(new Lsn(100));
    assertThat(emails(transaction)).containsExactly("a", "b");
  }

  @Test
  void manyRowsComeBackFromTheSpoolInOrderAndMoreThanOnce() {
    begin(7);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      row(7, "e" + i);
      expected.add("e" + i);
    }
    SourceTransaction transaction = end(7, 100, 2_000);
    assertThat(transaction.changes().count()).isEqualTo(2_000);
    assertThat(emails(transaction)).isEqualTo(expected);
    assertThat(emails(transaction)).isEqualTo(expected);
    transaction.changes().close();
    begin(8);
    row(8, "x");
    assertThat(emails(end(8, 200, 1))).containsExactly("x");
  }

  @Test
  void aBeginInsideATransactionStartsAgain() {
    begin(7);
    row(7, "a");
    begin(7);
    row(7, "a");
    assertThat(emails(end(7, 100, 1))).containsExactly("a");
  }

  @Test
  void aMissingRowIsNoticed() {
    begin(7);
    row(7, "a");
    assertThatThrownBy(() -> end(7, 100, 2)).isInstanceOf(ConcordException.class);
  }

  @Test
  void aRowOfAnotherTransactionIsNoticed() {
    begin(7);
    assertThatThrownBy(() -> row(8, "a")).isInstanceOf(ConcordException.class);
  }

  @Test
  void aRowOutsideOfTransactionsIsNoticed() {
    assertThatThrownBy(() -> row(8, "a")).isInstanceOf(ConcordException.class);
  }

  @Test
  void aPositionThatDoesNotGrowIsNoticed() {
    begin(7);
    end(7, 100, 0);
    begin(8);
    assertThatThrownBy(() -> end(8, 100, 0)).isInstanceOf(ConcordException.class);
  }

  private void begin(long xid) {
    assembler.begin(new SourceEvent.Begin(xid));
  }

  private void row(long xid, String email) {
    RowImage image = new RowImage(Map.of("email", email));
    assembler.row(new SourceEvent.Row(xid, RowChange.insert(USERS, image)));
  }

  private SourceTransaction end(long xid, long lsn, long rows) {
    return assembler.end(new SourceEvent.End(xid, new Lsn(lsn), Instant.EPOCH, rows));
  }

  private static List<String> emails(SourceTransaction transaction) {
    List<String> emails = new ArrayList<>();
    for (RowChange change : transaction.changes()) {
      RowImage after = change.after();
      emails.add(after == null ? "none" : String.valueOf(after.value("email")));
    }
    return emails;
  }
}
