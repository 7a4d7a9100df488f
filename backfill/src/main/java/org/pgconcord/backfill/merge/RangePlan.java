package org.pgconcord.backfill.merge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunCursor;
import org.pgconcord.backfill.run.RunFile;
import org.pgconcord.backfill.run.Sample;

/**
 * The cut of all runs into disjoint key ranges: range {@code i} holds the keys in {@code [cut(i-1),
 * cut(i))}. Equal keys are never split, so each range alone sees all owners of its keys. The cuts
 * are stored when made; the places in the files follow from them and need not be.
 */
public record RangePlan(List<byte[]> cuts) {
  public RangePlan {
    cuts = List.copyOf(cuts);
  }

  /** Cuts so that a range has about {@code rangeBytes} over all runs, from the runs' samples. */
  public static RangePlan cut(List<RunFile> runs, RowOrder order, long rangeBytes) {
    List<byte[]> keys =
        runs.stream()
            .flatMap(run -> run.samples().stream())
            .map(Sample::values)
            .sorted(order::compare)
            .toList();
    long bytes = runs.stream().mapToLong(run -> run.note().dataBytes()).sum();
    int ranges = (int) Math.max(1, Math.min(keys.size(), bytes / Math.max(1, rangeBytes)));
    List<byte[]> cuts = new ArrayList<>(ranges - 1);
    for (int i = 1; i < ranges; i++) {
      byte[] key = keys.get((int) ((long) i * keys.size() / ranges));
      if (cuts.isEmpty() || order.compare(cuts.get(cuts.size() - 1), key) < 0) {
        cuts.add(key);
      }
    }
    return new RangePlan(cuts);
  }

  public int ranges() {
    return cuts.size() + 1;
  }

  /** Cursors over one range of each run, in the order of the runs. */
  public List<RunCursor> cursors(int range, List<RunFile> runs, RowOrder order, int bufferBytes)
      throws IOException {
    List<RunCursor> cursors = new ArrayList<>(runs.size());
    for (RunFile run : runs) {
      long from = place(run, lower(range), 0, order, bufferBytes);
      long to = place(run, upper(range), run.note().dataBytes(), order, bufferBytes);
      cursors.add(run.cursor(from, to, bufferBytes));
    }
    return cursors;
  }

  private Optional<byte[]> lower(int range) {
    return range == 0 ? Optional.empty() : Optional.of(cuts.get(range - 1));
  }

  private Optional<byte[]> upper(int range) {
    return range == cuts.size() ? Optional.empty() : Optional.of(cuts.get(range));
  }

  private static long place(
      RunFile run, Optional<byte[]> key, long otherwise, RowOrder order, int bufferBytes)
      throws IOException {
    return key.isPresent() ? run.firstNotBelow(key.get(), order, bufferBytes) : otherwise;
  }
}
