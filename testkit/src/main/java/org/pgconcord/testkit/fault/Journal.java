package org.pgconcord.testkit.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The kinds of the messages that reached the proxy, per link and direction, in their order. */
public final class Journal {
  private static final int LONGEST = 1_000_000;

  private final Map<Way, StringBuilder> kinds = new TreeMap<>();

  /** One direction of one link. */
  public record Way(Link link, Direction direction) implements Comparable<Way> {
    @Override
    public int compareTo(Way other) {
      return toString().compareTo(other.toString());
    }
  }

  synchronized void note(Link link, Message message) {
    StringBuilder way =
        kinds.computeIfAbsent(new Way(link, message.direction()), w -> new StringBuilder());
    if (way.length() < LONGEST) {
      way.append(message.kind());
    }
  }

  synchronized void clear() {
    kinds.clear();
  }

  /** One letter per message. */
  public synchronized Map<Way, String> kinds() {
    Map<Way, String> copy = new TreeMap<>();
    kinds.forEach((way, letters) -> copy.put(way, letters.toString()));
    return copy;
  }

  /** The links that were seen, in the order of their names. */
  public synchronized List<Link> links() {
    return new ArrayList<>(kinds.keySet().stream().map(Way::link).distinct().toList());
  }
}
