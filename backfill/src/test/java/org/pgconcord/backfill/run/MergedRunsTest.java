package org.pgconcord.backfill.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.backfill.merge.LoserTree;
import org.pgconcord.backfill.merge.RangePlan;
import org.pgconcord.backfill.order.RawOrder;
import org.pgconcord.backfill.order.RowOrder;

class MergedRunsTest {
  private static final RawOrder BYTES = RawOrder.ofType(25);
  private static final RowOrder TEXT = new RowOrder(List.of(BYTES));

  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path directory;

  @Test
  void rangesOfAllRunsTogetherAreAllRowsInOrder() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int runs : new int[] {1, 2, 3, 7, 16}) {
      List<String> all = new ArrayList<>();
      List<RunFile> files = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        List<String> keys = randomKeys(random, random.nextInt(20_000));
        all.addAll(keys);
        files.add(RunFile.open(directory, write(runs + "-" + run, run, keys)));
      }
      RangePlan plan = RangePlan.cut(files, TEXT, 100_000);

      List<String> merged = new ArrayList<>();
      for (int range = 0; range < plan.ranges(); range++) {
        merged.addAll(merge(plan.cursors(range, files, TEXT, 64)));
      }

      all.sort((a, b) -> BYTES.compare(utf8(a), utf8(b)));
      assertThat(merged).as("seed %s, %s runs", seed, runs).isEqualTo(all);
      for (RunFile file : files) {
        file.close();
      }
    }
  }

  @Test
  void equalKeysAreNeverSplitOverRanges() throws IOException {
    List<String> same = IntStream.range(0, 60_000).mapToObj(i -> "same").toList();
    RunFile run = RunFile.open(directory, write("same", 0, same));
    RangePlan plan = RangePlan.cut(List.of(run), TEXT, 100_000);

    List<Integer> sizes = new ArrayList<>();
    for (int range = 0; range < plan.ranges(); range++) {
      sizes.add(merge(plan.cursors(range, List.of(run), TEXT, 4096)).size());
    }

    assertThat(sizes).containsOnlyOnce(60_000).hasSameSizeAs(List.copyOf(sizes));
    assertThat(sizes.stream().mapToInt(i -> i).sum()).isEqualTo(60_000);
    run.close();
  }

  @Test
  void aRowLargerThanTheBufferIsRead() throws IOException {
    String large = "x".repeat(300_000);
    RunFile run = RunFile.open(directory, write("large", 0, List.of("a", large, "y")));

    assertThat(merge(List.of(run.cursor(0, run.note().dataBytes(), 100))))
        .containsExactly("a", large, "y");
    run.close();
  }

  @Test
  void aChangedOrCutFileIsNotIntact() throws IOException {
    RunNote note = write("whole", 0, List.of("a", "b"));
    assertThat(RunFile.intact(directory, note)).isTrue();

    Path file = directory.resolve("whole");
    byte[] bytes = Files.readAllBytes(file);
    bytes[3] ^= 1;
    Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
    assertThat(RunFile.intact(directory, note)).isFalse();

    Files.write(file, new byte[5], StandardOpenOption.TRUNCATE_EXISTING);
    assertThat(RunFile.intact(directory, note)).isFalse();
    Files.delete(file);
    assertThat(RunFile.intact(directory, note)).isFalse();
  }

  @Test
  void aCopyStreamIsCutIntoRowsWhereverItsMessagesEnd() throws IOException {
    ByteBuffer stream = ByteBuffer.allocate(4096);
    stream.put(RowFormat.signature());
    List<String> keys = List.of("", "a", "\u00e9", "long".repeat(50));
    keys.forEach(key -> stream.put(row(key)));
    stream.put(RowFormat.trailer()).flip();
    byte[] all = new byte[stream.remaining()];
    stream.get(all);

    for (int piece : new int[] {1, 2, 3, 19, 20, 1000}) {
      List<byte[]> rows = new ArrayList<>();
      CopyRows cutter =
          new CopyRows(
              2,
              (bytes, offset, length) ->
                  rows.add(java.util.Arrays.copyOfRange(bytes, offset, offset + length)));
      for (int at = 0; at < all.length; at += piece) {
        cutter.feed(java.util.Arrays.copyOfRange(all, at, Math.min(all.length, at + piece)));
      }
      cutter.finish();
      assertThat(rows).hasSize(keys.size());
      for (int i = 0; i < rows.size(); i++) {
        assertThat(rows.get(i)).isEqualTo(row(keys.get(i)));
      }
    }
  }

  private static List<String> merge(List<RunCursor> cursors) throws IOException {
    LoserTree tree = new LoserTree(cursors, TEXT);
    List<String> keys = new ArrayList<>();
    for (int run = tree.winner(); run >= 0; run = tree.winner()) {
      RunCursor row = cursors.get(run);
      keys.add(key(row));
      tree.advance();
    }
    return keys;
  }

  private static String key(RunCursor row) {
    int length = RowFormat.int32(row.buffer(), row.rowStart() + 2);
    return new String(row.buffer(), row.rowStart() + 6, length, StandardCharsets.UTF_8);
  }

  private RunNote write(String name, int range, List<String> keys) throws IOException {
    try (RunWriter writer = new RunWriter(directory, name, range, "l")) {
      for (String key : keys) {
        byte[] row = row(key);
        writer.row(row, 0, row.length);
      }
      return writer.finish(0);
    }
  }

  private static byte[] row(String key) {
    byte[] bytes = utf8(key);
    return ByteBuffer.allocate(2 + 4 + bytes.length + 4 + 8)
        .putShort((short) 2)
        .putInt(bytes.length)
        .put(bytes)
        .putInt(8)
        .putLong(42)
        .array();
  }

  private static List<String> randomKeys(Random random, int count) {
    List<String> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(Integer.toString(random.nextInt(50_000), 36) + "\u00e4".repeat(random.nextInt(9)));
    }
    keys.sort((a, b) -> BYTES.compare(utf8(a), utf8(b)));
    return keys;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
