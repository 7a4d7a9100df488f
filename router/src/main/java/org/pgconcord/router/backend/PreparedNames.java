package org.pgconcord.router.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.router.wire.ParameterTypes;

/**
 * Which statements one backend has prepared, under names of the router's own, so that no client's
 * name can collide. The least recently used is given up when there are too many. A name counts only
 * when the server has confirmed it.
 */
final class PreparedNames {

  /** A statement: the same text with other declared types is another. */
  record Key(String sql, ParameterTypes types) {}

  private final int max;
  private final Map<Key, String> confirmed = new LinkedHashMap<>(16, 0.75f, true);
  private final List<String> toClose = new ArrayList<>();
  private long next;

  PreparedNames(int max) {
    this.max = max;
  }

  /** The name under which the server has it. */
  Optional<String> find(Key key) {
    return Optional.ofNullable(confirmed.get(key));
  }

  /** A new name, for a Parse. */
  String propose() {
    next++;
    return "c" + next;
  }

  /** The server has parsed {@code key} under {@code name}. */
  void confirm(Key key, String name) {
    String before = confirmed.put(key, name);
    if (before != null) {
      toClose.add(before);
    }
    if (confirmed.size() > max) {
      Key eldest = confirmed.keySet().iterator().next();
      forget(eldest);
    }
  }

  /** It is to be parsed again: the server's plan of it has become unusable. */
  void forget(Key key) {
    String name = confirmed.remove(key);
    if (name != null) {
      toClose.add(name);
    }
  }

  /** The server has dropped all of them. */
  void clear() {
    confirmed.clear();
    toClose.clear();
  }

  /** Names that the server may forget; each is returned once. */
  List<String> takeToClose() {
    if (toClose.isEmpty()) {
      return List.of();
    }
    List<String> names = List.copyOf(toClose);
    toClose.clear();
    return names;
  }
}
