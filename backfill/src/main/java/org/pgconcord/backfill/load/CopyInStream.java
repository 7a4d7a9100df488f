package org.pgconcord.backfill.load;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgconcord.backfill.run.RowFormat;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** A binary COPY into a table that takes rows in {@link RowFormat}, in messages of 64 kB. */
final class CopyInStream implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final CopyIn copy;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int filled;

  CopyInStream(Connection transaction, String target) throws SQLException {
    this.copy =
        transaction
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn("COPY " + target + " FROM STDIN (FORMAT binary)");
    byte[] signature = RowFormat.signature();
    write(signature, 0, signature.length);
  }

  void write(byte[] bytes, int offset, int length) throws SQLException {
    if (filled + length > buffer.length) {
      flush();
    }
    if (length > buffer.length) {
      copy.writeToCopy(bytes, offset, length);
    } else {
      System.arraycopy(bytes, offset, buffer, filled, length);
      filled += length;
    }
  }

  /** Ends the COPY; returns when the server has taken all rows. */
  void finish() throws SQLException {
    byte[] trailer = RowFormat.trailer();
    write(trailer, 0, trailer.length);
    flush();
    copy.endCopy();
  }

  private void flush() throws SQLException {
    copy.writeToCopy(buffer, 0, filled);
    filled = 0;
  }

  /** Cancels a COPY that was not finished. */
  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }
}
