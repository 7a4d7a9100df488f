package org.pgconcord.backfill.run;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A key of a run and the place of its row in the file. The file's tail: per sample {@code int64
 * place, int32 length, key}, then {@code int32 samples, int64 place of the first sample}.
 */
@SuppressWarnings("ArrayRecordComponent")
public record Sample(byte[] key, long position) {
  /** Length of what is read first: count and place of the samples. */
  static final int FOOTER_BYTES = 4 + 8;

  static Sample ofRow(byte[] row, int offset, long position) {
    int keyLength = RowFormat.int32(row, offset + 2);
    int from = offset + RowFormat.KEY_OFFSET;
    return new Sample(Arrays.copyOfRange(row, from, from + keyLength), position);
  }

  static byte[] encode(List<Sample> samples, long dataBytes) {
    int size = samples.stream().mapToInt(s -> 8 + 4 + s.key.length).sum() + FOOTER_BYTES;
    ByteBuffer out = ByteBuffer.allocate(size);
    for (Sample sample : samples) {
      out.putLong(sample.position).putInt(sample.key.length).put(sample.key);
    }
    return out.putInt(samples.size()).putLong(dataBytes).array();
  }

  static List<Sample> decode(ByteBuffer in, int count) {
    List<Sample> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long position = in.getLong();
      byte[] key = new byte[in.getInt()];
      in.get(key);
      samples.add(new Sample(key, position));
    }
    return samples;
  }
}
