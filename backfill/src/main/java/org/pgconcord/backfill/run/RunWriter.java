package org.pgconcord.backfill.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes one run: the rows as they come, then the samples (the values and place of the first row
 * after each {@link #SAMPLE_BYTES}), then where the samples begin. The samples let the load cut all
 * runs at the same keys without reading them. {@link #finish} returns only when file and directory
 * entry are on disk. Used by one thread.
 */
public final class RunWriter implements AutoCloseable {
  static final int SAMPLE_BYTES = 256 * 1024;
  private static final int BUFFER_BYTES = 256 * 1024;

  private final Path directory;
  private final String name;
  private final int range;
  private final String lookup;
  private final FileChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private final CRC32C checksum = new CRC32C();
  private final List<Sample> samples = new ArrayList<>();
  private long written;
  private long rows;
  private long nextSampleAt;

  public RunWriter(Path directory, String name, int range, String lookup) throws IOException {
    this.directory = directory;
    this.name = name;
    this.range = range;
    this.lookup = lookup;
    this.channel =
        FileChannel.open(
            directory.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
  }

  /** Appends one row in {@link RowFormat}; rows must come in the order of identities. */
  public void row(byte[] bytes, int offset, int length) throws IOException {
    if (written >= nextSampleAt) {
      samples.add(Sample.ofRow(bytes, offset, length, written));
      nextSampleAt = written + SAMPLE_BYTES;
    }
    write(bytes, offset, length);
    rows++;
  }

  public long rows() {
    return rows;
  }

  public long bytes() {
    return written;
  }

  /** Makes the run durable and says what is in it. */
  public RunNote finish(long nullViolations) throws IOException {
    long dataBytes = written;
    byte[] tail = Sample.encode(samples, dataBytes);
    write(tail, 0, tail.length);
    flush();
    channel.force(true);
    channel.close();
    syncDirectory(directory);
    return new RunNote(
        name, range, lookup, rows, dataBytes, written, (int) checksum.getValue(), nullViolations);
  }

  /** A new name is durable only when its directory is. */
  private static void syncDirectory(Path directory) throws IOException {
    try (FileChannel handle = FileChannel.open(directory, StandardOpenOption.READ)) {
      handle.force(true);
    }
  }

  private void write(byte[] bytes, int offset, int length) throws IOException {
    written += length;
    int done = 0;
    while (done < length) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = Math.min(length - done, buffer.remaining());
      buffer.put(bytes, offset + done, part);
      done += part;
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    checksum.update(buffer.duplicate());
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
