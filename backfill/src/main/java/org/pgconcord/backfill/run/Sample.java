package org.pgconcord.backfill.run;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The values of a row of a run and the row's place in the file. The file's tail: per sample {@code
 * int64 place, int32 length, values}, then {@code int32 samples, int64 place of the first sample}.
 */
@SuppressWarnings("ArrayRecordComponent")
public record Sample(byte[] values, long position) {
  /** Length of what is read first: count and place of the samples. */
  static final int FOOTER_BYTES = 4 + 8;

  static Sample ofRow(byte[] row, int offset, int length, long position) {
    return new Sample(
        Arrays.copyOfRange(row, offset + RowFormat.VALUES, offset + length), position);
  }

  static byte[] encode(List<Sample> samples, long dataBytes) {
    int size = samples.stream().mapToInt(s -> 8 + 4 + s.values.length).sum() + FOOTER_BYTES;
    ByteBuffer out = ByteBuffer.allocate(size);
    for (Sample sample : samples) {
      out.putLong(sample.position).putInt(sample.values.length).put(sample.values);
    }
    return out.putInt(samples.size()).putLong(dataBytes).array();
  }

  static List<Sample> decode(ByteBuffer in, int count) {
    List<Sample> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long position = in.getLong();
      byte[] values = new byte[in.getInt()];
      in.get(values);
      samples.add(new Sample(values, position));
    }
    return samples;
  }
}
