package org.pgconcord.router.exec;

import java.io.ByteArrayOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.copy.CopyRow;
import org.pgconcord.router.tx.Failures;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * One shard's part of a {@link CopyFrom}: its COPY, the rows on their way to it, and which of the
 * client's lines its lines are.
 */
final class CopyLane implements BackendListener {
  private static final int MESSAGE_BYTES = 32 << 10;

  /** What waits while the COPY is not open yet. */
  private static final int WAITING_MOST = 512 << 10;

  private static final Pattern LINE = Pattern.compile("(COPY .*?, line )(\\d+)");

  private final CopyFrom copy;
  private final ShardId shard;
  private final Lines lines = new Lines();
  private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
  private @Nullable BackendConnection backend;
  private boolean sent;
  private boolean open;
  private boolean ended;
  private boolean over;

  CopyLane(CopyFrom copy, ShardId shard) {
    this.copy = copy;
    this.shard = shard;
  }

  ShardId shard() {
    return shard;
  }

  /** Nothing of it runs any more, or ever will. */
  boolean over() {
    return over;
  }

  // --- rows ------------------------------------------------------------------------------------

  void header(byte[] bytes, int count) {
    pending.write(bytes, 0, bytes.length);
    lines.skip(count);
  }

  void add(CopyRow row) {
    pending.write(row.bytes(), row.from(), row.to() - row.from());
    lines.add(row.lines(), row.line());
    if (pending.size() >= MESSAGE_BYTES) {
      flush();
    }
  }

  void flush() {
    if (open && backend != null && pending.size() > 0) {
      byte[] bytes = pending.toByteArray();
      pending.reset();
      backend.copyData(bytes, 0, bytes.length);
    }
  }

  /** More may come. */
  boolean ready() {
    if (open && backend != null) {
      return backend.copyWritable();
    }
    return pending.size() < WAITING_MOST;
  }

  /** No more rows come. */
  void end() {
    ended = true;
    flush();
    if (open && backend != null) {
      backend.copyDone();
    }
  }

  /** The whole COPY has failed elsewhere. */
  void stop() {
    if (sent && !over && backend != null) {
      backend.cancel();
    }
  }

  // --- its COPY --------------------------------------------------------------------------------

  /** The shard's backend is there. */
  void start(BackendConnection connection, String sql) {
    backend = connection;
    sent = true;
    connection.send(new BackendRequest.Query(sql), this);
  }

  /** It never came to a COPY. */
  void abandon() {
    over = true;
  }

  @Override
  public boolean copyIn(Frame response) {
    if (copy.failed()) {
      return false;
    }
    open = true;
    flush();
    if (ended && backend != null) {
      backend.copyDone();
    }
    copy.goOn();
    return true;
  }

  @Override
  public void copyWritable() {
    copy.goOn();
  }

  @Override
  public void complete(Frame frame) {
    copy.stored(CommandTag.rows(CommandTag.read(frame)));
  }

  @Override
  public void notice(Frame frame) {
    copy.notice(frame);
  }

  @Override
  public void error(Frame frame) {
    copy.fail(this, located(ErrorFields.read(frame)));
  }

  @Override
  public void ready(TransactionStatus status) {
    over = true;
    copy.settle();
  }

  @Override
  public void lost(ConcordException cause) {
    over = true;
    copy.fail(this, Failures.fields(cause));
    copy.settle();
  }

  /** The shard counts its own lines; the client knows the file's. */
  private ErrorFields located(ErrorFields fields) {
    String where = fields.field('W');
    Matcher line = where == null ? null : LINE.matcher(where);
    if (where == null || line == null || !line.find()) {
      return fields;
    }
    long known = lines.clients(Long.parseLong(line.group(2)));
    String found =
        known > 0 ? line.group(1) + known : line.group() + " of the rows for shard " + shard;
    return fields.with('W', where.substring(0, line.start()) + found + where.substring(line.end()));
  }

  /** The client's line of each of the latest lines here. */
  private static final class Lines {
    private static final int MOST = 1 << 17;

    private long[] theirs = new long[64];
    private long[] here = new long[64];
    private long count;
    private long last;

    void skip(int lines) {
      last += lines;
    }

    void add(int lines, long client) {
      if (count == here.length && count < MOST) {
        here = java.util.Arrays.copyOf(here, 2 * here.length);
        theirs = java.util.Arrays.copyOf(theirs, 2 * theirs.length);
      }
      last += lines;
      int at = (int) (count % here.length);
      here[at] = last;
      theirs[at] = client;
      count++;
    }

    /** 0 when it is not known any more. A line within a row counts as the row's. */
    long clients(long line) {
      for (long i = count - 1; i >= Math.max(0, count - here.length); i--) {
        int at = (int) (i % here.length);
        if (here[at] == line) {
          return theirs[at];
        } else if (here[at] < line) {
          break;
        }
      }
      return 0;
    }
  }
}
