package org.pgconcord.router.session;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.FrontendMessage;

/**
 * Messages that a client has sent and that are not yet dealt with. An extended-protocol message
 * waits for a Sync or Flush behind it (until then the protocol promises no answer), so that what
 * belongs together is seen together; a queue that grows large does not wait.
 */
final class MessageQueue {
  private static final int EAGER_MESSAGES = 256;
  private static final long EAGER_BYTES = 1 << 20;

  private record Entry(FrontendMessage message, int bytes) {}

  private final Deque<Entry> entries = new ArrayDeque<>();
  private int boundaries;
  private long bytes;

  void add(FrontendMessage message, int length) {
    entries.add(new Entry(message, length));
    bytes += length;
    if (boundary(message)) {
      boundaries++;
    }
  }

  FrontendMessage remove() {
    Entry entry = entries.remove();
    bytes -= entry.bytes();
    if (boundary(entry.message())) {
      boundaries--;
    }
    return entry.message();
  }

  @Nullable FrontendMessage peek() {
    Entry head = entries.peek();
    return head == null ? null : head.message();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The head can be dealt with: what belongs to it has arrived, or there is too much to wait. */
  boolean ready() {
    return boundaries > 0 || crowded();
  }

  /** No more should be read from the client for now. */
  boolean crowded() {
    return entries.size() >= EAGER_MESSAGES || bytes >= EAGER_BYTES;
  }

  Iterator<FrontendMessage> iterator() {
    return entries.stream().map(Entry::message).iterator();
  }

  /**
   * The next Sync has arrived, at most one Execute stands before it, and after that only Close,
   * which cannot fail: the statement may commit by itself and needs no transaction around it.
   */
  boolean oneExecuteThenSync() {
    boolean executed = false;
    for (Entry entry : entries) {
      FrontendMessage message = entry.message();
      if (message instanceof FrontendMessage.Sync) {
        return true;
      }
      if (executed && !(message instanceof FrontendMessage.Close)) {
        return false;
      }
      executed |= message instanceof FrontendMessage.Execute;
    }
    return false;
  }

  private static boolean boundary(FrontendMessage message) {
    return !(message instanceof FrontendMessage.Parse
        || message instanceof FrontendMessage.Bind
        || message instanceof FrontendMessage.Describe
        || message instanceof FrontendMessage.Execute
        || message instanceof FrontendMessage.Close);
  }
}
