package org.pgconcord.backfill.run;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.pgconcord.backfill.order.RowOrder;

/** A complete run, open for reading by any number of threads. */
public final class RunFile implements AutoCloseable {
  private static final int CHECK_BUFFER_BYTES = 1 << 20;

  private final RunNote note;
  private final FileChannel channel;
  private final List<Sample> samples;

  private RunFile(RunNote note, FileChannel channel, List<Sample> samples) {
    this.note = note;
    this.channel = channel;
    this.samples = samples;
  }

  public static RunFile open(Path directory, RunNote note) throws IOException {
    FileChannel channel = FileChannel.open(directory.resolve(note.file()), StandardOpenOption.READ);
    try {
      return new RunFile(note, channel, readSamples(channel, note));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Whether the file is there, whole, and byte for byte what was written. */
  public static boolean intact(Path directory, RunNote note) throws IOException {
    Path path = directory.resolve(note.file());
    if (!Files.isRegularFile(path) || Files.size(path) != note.fileBytes()) {
      return false;
    }
    CRC32C checksum = new CRC32C();
    ByteBuffer buffer = ByteBuffer.allocate(CHECK_BUFFER_BYTES);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      while (channel.read(buffer) >= 0) {
        checksum.update(buffer.flip());
        buffer.clear();
      }
    }
    return (int) checksum.getValue() == note.checksum();
  }

  public RunNote note() {
    return note;
  }

  public List<Sample> samples() {
    return samples;
  }

  /** A cursor over the rows in {@code [from, to)}, places at which rows begin. */
  public RunCursor cursor(long from, long to, int bufferBytes) throws IOException {
    return new RunCursor(channel, from, to, bufferBytes);
  }

  /**
   * The place of the first row that is not below the one with these values; the data's end if none.
   */
  public long firstNotBelow(byte[] values, RowOrder order, int bufferBytes) throws IOException {
    long at = lastSampleBelow(values, order);
    RunCursor cursor = cursor(at, note.dataBytes(), bufferBytes);
    while (!cursor.exhausted() && cursor.compareValues(values, order) < 0) {
      at += cursor.rowLength();
      cursor.advance();
    }
    return at;
  }

  private long lastSampleBelow(byte[] values, RowOrder order) {
    int low = 0;
    int high = samples.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(samples.get(middle).values(), values) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? 0 : samples.get(low - 1).position();
  }

  private static List<Sample> readSamples(FileChannel channel, RunNote note) throws IOException {
    ByteBuffer tail = ByteBuffer.allocate((int) (note.fileBytes() - note.dataBytes()));
    long at = note.dataBytes();
    while (tail.hasRemaining()) {
      int count = channel.read(tail, at);
      if (count < 0) {
        throw new EOFException("the run " + note.file() + " is cut short");
      }
      at += count;
    }
    int count = tail.getInt(tail.capacity() - Sample.FOOTER_BYTES);
    return Sample.decode(tail.flip(), count);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
