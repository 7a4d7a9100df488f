package org.pgconcord.daemon;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Things to close, last opened first; a failing one does not keep the others open. */
final class Closing implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  private record Part(String name, AutoCloseable part) {}

  private final Deque<Part> parts = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(String name, T part) {
    parts.push(new Part(name, part));
    return part;
  }

  @Override
  public void close() {
    for (Part next = pop(); next != null; next = pop()) {
      try {
        next.part().close();
        log.debug("stopped part={}", next.name());
      } catch (Exception e) {
        log.warn("part did not stop cleanly part={}", next.name(), e);
      }
    }
  }

  private synchronized @org.jspecify.annotations.Nullable Part pop() {
    return parts.poll();
  }
}
