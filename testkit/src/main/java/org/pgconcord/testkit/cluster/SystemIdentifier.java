package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.zip.CRC32C;

/**
 * The number by which a server is told from others. {@code initdb} draws it; it stands at the begin
 * of {@code global/pg_control} and in the first page's head of each segment of the log, and the
 * server refuses a log with another number.
 */
final class SystemIdentifier {
  /** Where it stands in a segment (XLogLongPageHeaderData): after the 20 bytes of a short head. */
  private static final int IN_SEGMENT = 24;

  /**
   * The checked part of the control file is less than one sector, so that a write is never torn.
   */
  private static final int CONTROL_LIMIT = 512;

  private SystemIdentifier() {}

  /** Gives the server of this data directory, which was stopped in order, a number of its own. */
  static void renew(Path data) throws IOException {
    Path control = data.resolve("global/pg_control");
    ByteBuffer content =
        ByteBuffer.wrap(Files.readAllBytes(control)).order(ByteOrder.nativeOrder());
    int checked = checkedLength(content);
    long old = content.getLong(0);
    long fresh = new SecureRandom().nextLong() >>> 1;
    content.putLong(0, fresh);
    content.putInt(checked, checksum(content, checked));
    Files.write(control, content.array());
    try (DirectoryStream<Path> segments =
        Files.newDirectoryStream(data.resolve("pg_wal"), "????????????????????????")) {
      for (Path segment : segments) {
        renewInSegment(segment, old, fresh);
      }
    }
  }

  private static void renewInSegment(Path segment, long old, long fresh) throws IOException {
    try (FileChannel file =
        FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
      file.read(number, IN_SEGMENT);
      // One that was made for later has none yet.
      if (number.getLong(0) == old) {
        file.write(number.putLong(0, fresh).rewind(), IN_SEGMENT);
      }
    }
  }

  /** The checksum is the last member of a structure that grows from version to version. */
  private static int checkedLength(ByteBuffer control) throws IOException {
    for (int length = Long.BYTES; length < CONTROL_LIMIT; length += Integer.BYTES) {
      if (control.getInt(length) == checksum(control, length)) {
        return length;
      }
    }
    throw new IOException("the control file has no checksum");
  }

  private static int checksum(ByteBuffer control, int length) {
    CRC32C sum = new CRC32C();
    sum.update(control.slice(0, length));
    return (int) sum.getValue();
  }
}
