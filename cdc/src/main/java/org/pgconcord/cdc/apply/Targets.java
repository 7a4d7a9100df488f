package org.pgconcord.cdc.apply;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.gsi.LookupIndex;

/**
 * What one tail serves: of each index one target on each of its lookup shards, always all of them
 * or none. Used by the tail's thread alone.
 */
final class Targets {
  private final StreamName stream;
  private final Map<Served.Key, Served> all = new LinkedHashMap<>();

  Targets(StreamName stream) {
    this.stream = stream;
  }

  /** A copy: an index that cannot be served leaves while somebody goes through them. */
  List<Served> all() {
    return List.copyOf(all.values());
  }

  /** Those that are not paused. */
  List<Served> active() {
    return all.values().stream().filter(one -> !one.paused()).toList();
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** False once the target's index has left, or is served anew. */
  boolean has(Served one) {
    return all.get(one.key()) == one;
  }

  List<Served> of(GsiName gsi) {
    return all.values().stream().filter(one -> one.key().gsi().equals(gsi)).toList();
  }

  List<Served> require(GsiName gsi) {
    List<Served> targets = of(gsi);
    if (targets.isEmpty()) {
      throw new IllegalStateException(gsi + " is not served by stream " + stream);
    }
    return targets;
  }

  void add(List<Served> targets) {
    targets.forEach(one -> all.put(one.key(), one));
  }

  /** The index's targets leave, and nothing that they began stays open; false without any. */
  boolean remove(GsiName gsi) {
    List<Served> gone = of(gsi);
    gone.forEach(
        one -> {
          one.target().reset();
          all.remove(one.key());
        });
    return !gone.isEmpty();
  }

  List<LookupIndex> indexes() {
    List<LookupIndex> indexes = new ArrayList<>();
    onePerIndex(all()).forEach(one -> indexes.add(one.index()));
    return indexes;
  }

  /** For what is done once for an index: the first of its targets. */
  static List<Served> onePerIndex(List<Served> targets) {
    Map<GsiName, Served> first = new LinkedHashMap<>();
    targets.forEach(one -> first.putIfAbsent(one.key().gsi(), one));
    return List.copyOf(first.values());
  }

  /** Up to where every target has had its effect. */
  Optional<Lsn> position() {
    return all.values().stream().map(Served::position).min(Lsn::compareTo);
  }

  /** Up to where every target keeps nothing more in the slot. */
  Optional<Lsn> durable() {
    return all.values().stream().map(Served::durable).min(Lsn::compareTo);
  }
}
