package org.pgconcord.state.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

class StateStoreTest {
  private static final byte[] ZERO = {0};

  @Test
  void whatWasWrittenIsThereAfterAReopen(@TempDir Path directory) {
    try (StateStore store = StateStore.open(directory.resolve("s"))) {
      assertThat(store.recreated()).isTrue();
      numbers(store).put("a", 1L);
    }
    try (StateStore store = StateStore.open(directory.resolve("s"))) {
      assertThat(store.recreated()).isFalse();
      assertThat(numbers(store).get("a")).contains(1L);
      assertThat(numbers(store).get("b")).isEmpty();
    }
  }

  @Test
  void aBatchChangesSeveralTablesInItsOrder(@TempDir Path directory) {
    try (StateStore store = StateStore.open(directory)) {
      Table<String, Long> runs = numbers(store);
      Table<String, String> applied = store.table(StateTable.APPLIED, Codec.text(), Codec.text());
      runs.put("old", 1L);
      store.writeDurably(
          new StateBatch().put(runs, "new", 2L).delete(runs, "old").put(applied, "a", "0/1"));
      assertThat(runs.get("old")).isEmpty();
      assertThat(runs.get("new")).contains(2L);
      assertThat(applied.get("a")).contains("0/1");
    }
  }

  @Test
  void aPrefixIsScannedInOrderAndDroppedAlone(@TempDir Path directory) {
    try (StateStore store = StateStore.open(directory)) {
      StateBatch batch = new StateBatch();
      for (long number : new long[] {3, 1, -1, 2}) {
        batch.put(StateTable.SPOOL, StateKey.of("a").number(number).bytes(), ZERO);
      }
      batch.put(StateTable.SPOOL, StateKey.of("ab").number(0).bytes(), ZERO);
      store.write(batch);
      byte[] prefix = StateKey.of("a").bytes();
      assertThat(keys(store, prefix))
          .containsExactly(
              StateKey.of("a").number(1).bytes(),
              StateKey.of("a").number(2).bytes(),
              StateKey.of("a").number(3).bytes(),
              StateKey.of("a").number(-1).bytes());
      store.write(new StateBatch().deletePrefix(StateTable.SPOOL, prefix));
      assertThat(keys(store, prefix)).isEmpty();
      assertThat(keys(store, new byte[0])).hasSize(1);
      store.clear(StateTable.SPOOL);
      assertThat(keys(store, new byte[0])).isEmpty();
    }
  }

  @Test
  void aDamagedDirectoryIsMadeAnewAndKeptAside(@TempDir Path directory) throws Exception {
    Path state = directory.resolve("state");
    try (StateStore store = StateStore.open(state)) {
      numbers(store).put("a", 1L);
    }
    try (Stream<Path> files = Files.list(state)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith("MANIFEST")) {
          Files.writeString(file, "not a manifest");
        }
      }
    }
    try (StateStore store = StateStore.open(state)) {
      assertThat(store.recreated()).isTrue();
      assertThat(numbers(store).get("a")).isEmpty();
      numbers(store).put("a", 2L);
    }
    assertThat(directory.resolve("state.damaged")).isDirectory();
  }

  @Test
  void anotherFormatIsMadeAnew(@TempDir Path directory) {
    Path state = directory.resolve("state");
    try (StateStore store = StateStore.open(state)) {
      store.write(
          new StateBatch()
              .put(
                  StateTable.META,
                  Codec.text().encode("format"),
                  Codec.unsignedLong().encode(StateStore.FORMAT + 1)));
    }
    try (StateStore store = StateStore.open(state)) {
      assertThat(store.recreated()).isTrue();
    }
  }

  @Test
  void aDirectoryInUseIsRefusedAndLeftAlone(@TempDir Path directory) {
    try (StateStore store = StateStore.open(directory)) {
      numbers(store).put("a", 1L);
      assertThatThrownBy(() -> StateStore.open(directory))
          .isInstanceOf(ConcordException.class)
          .extracting(e -> ((ConcordException) e).code())
          .isEqualTo(ErrorCode.STATE_LOCKED);
      assertThat(numbers(store).get("a")).contains(1L);
    }
  }

  @Test
  void whoComesAfterTheCloseIsRefused(@TempDir Path directory) {
    StateStore store = StateStore.open(directory);
    Table<String, Long> runs = numbers(store);
    runs.put("a", 1L);
    store.close();
    store.close();
    for (ThrowingCallable late :
        List.<ThrowingCallable>of(
            () -> runs.get("a"),
            () -> runs.put("a", 2L),
            () -> runs.scan(new byte[0]),
            () -> store.writeDurably(new StateBatch().put(StateTable.SPOOL, ZERO, ZERO)),
            () -> store.clear(StateTable.RUNS))) {
      assertThatThrownBy(late)
          .isInstanceOf(ConcordException.class)
          .hasMessageContaining("the state store is closed");
    }
  }

  /** The memory of a scan is the store's: one that is under way ends first, and soon. */
  @Test
  void theCloseWaitsForAScanAndTheScanGoesNoFurther(@TempDir Path directory) throws Exception {
    StateStore store = StateStore.open(directory);
    numbers(store).put("a", 1L);
    numbers(store).put("b", 2L);
    CompletableFuture<Void> close;
    try (Cursor<String, Long> cursor = numbers(store).scan(new byte[0])) {
      assertThat(cursor.next().getKey()).isEqualTo("a");
      close = CompletableFuture.runAsync(store::close, task -> new Thread(task).start());
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!isRefused(cursor)) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(close).isNotDone();
    }
    close.get(30, TimeUnit.SECONDS);
    try (StateStore again = StateStore.open(directory)) {
      assertThat(numbers(again).get("b")).contains(2L);
    }
  }

  private static boolean isRefused(Cursor<?, ?> cursor) {
    try {
      assertThat(cursor.hasNext()).isTrue();
      return false;
    } catch (ConcordException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.STATE_UNUSABLE);
      return true;
    }
  }

  private static Table<String, Long> numbers(StateStore store) {
    return store.table(StateTable.RUNS, Codec.text(), Codec.unsignedLong());
  }

  private static List<byte[]> keys(StateStore store, byte[] prefix) {
    List<byte[]> keys = new ArrayList<>();
    try (Cursor<byte[], byte[]> cursor =
        store.table(StateTable.SPOOL, Codec.bytes(), Codec.bytes()).scan(prefix)) {
      cursor.forEachRemaining(entry -> keys.add(entry.getKey()));
    }
    return keys;
  }
}
