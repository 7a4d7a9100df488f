package org.pgconcord.config.topology;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;

/**
 * The key ranges of one group: together they hold each routing value of an index exactly once. The
 * index decides how bounds are read, so a group is checked with each index that reads it.
 */
final class RangeRules {
  /** What is left for it in the name of a prepared transaction. */
  private static final int UID_BYTES = 137;

  private final RoutingSpace space;
  private final String path;
  private final Findings findings;

  private RangeRules(RoutingSpace space, String path, Findings findings) {
    this.space = space;
    this.path = path;
    this.findings = findings;
  }

  /**
   * The ranges of a group; a malformed one is left out.
   *
   * @param index the group's own; without one the ranges are checked where a table brings an index
   */
  static List<KeyRange> resolve(
      Document.Group group, Optional<ShardIndex> index, Findings findings) {
    String path = group.path() + ".key_ranges";
    findings.require(
        !group.ranges().isEmpty(), Rule.GROUP_NO_RANGES, path, "the group has no key range");
    group.ranges().forEach(range -> uid(range, findings));
    List<KeyRange> ranges = new ArrayList<>();
    for (Document.Range range : group.ranges()) {
      boolean startReads = bound(range.start(), index, range.path() + ".start", findings);
      boolean endReads = bound(range.end(), index, range.path() + ".end", findings);
      if (startReads && endReads && !range.shard().isEmpty()) {
        ranges.add(
            new KeyRange(new ShardId(range.shard()), lower(range.start()), lower(range.end())));
      }
    }
    if (index.isPresent() && ranges.size() == group.ranges().size()) {
      ranges = cover(ranges, index.get(), path, findings);
    }
    return ranges;
  }

  private static void uid(Document.Range range, Findings findings) {
    int bytes = range.shard().getBytes(StandardCharsets.UTF_8).length;
    findings.require(
        bytes <= UID_BYTES,
        Rule.SHARD_UID,
        range.path() + ".shard_uid",
        "a shard's uid of " + bytes + " bytes");
  }

  private static boolean bound(
      String text, Optional<ShardIndex> index, String path, Findings findings) {
    Optional<String> fault =
        index.isPresent()
            ? RoutingSpace.of(index.get()).fault(lower(text))
            : Optional.of("is not 1 to 16 hexadecimal digits")
                .filter(f -> !RoutingSpace.ANY_BOUND.matcher(lower(text)).matches());
    fault.ifPresent(f -> findings.add(Rule.RANGE_BOUND, path, "\"" + text + "\" " + f));
    return fault.isEmpty();
  }

  private static String lower(String bound) {
    return bound.toLowerCase(Locale.ROOT);
  }

  /** What stands against reading a group's ranges with an index that is not the group's own. */
  static Optional<String> misfit(ShardGroup group, ShardIndex index) {
    RoutingSpace space = RoutingSpace.of(index);
    for (KeyRange range : group.keyRanges()) {
      for (String bound : List.of(range.start(), range.end())) {
        Optional<String> fault = space.fault(bound);
        if (fault.isPresent()) {
          return Optional.of("the bound \"" + bound + "\" " + fault.get());
        }
      }
    }
    Findings found = new Findings();
    cover(group.keyRanges(), index, "", found);
    return found.all().stream().map(Finding::message).findFirst();
  }

  /** The ranges in the order of their starts. */
  private static List<KeyRange> cover(
      List<KeyRange> unordered, ShardIndex index, String path, Findings findings) {
    RangeRules rules = new RangeRules(RoutingSpace.of(index), path, findings);
    List<KeyRange> ranges =
        unordered.stream().sorted(Comparator.comparingLong(rules.space::start)).toList();
    if (!ranges.isEmpty()) {
      rules.cover(ranges);
    }
    return ranges;
  }

  private void cover(List<KeyRange> ranges) {
    KeyRange first = ranges.get(0);
    if (space.start(first) > space.lowest()) {
      findings.add(Rule.RANGE_GAP, path, "no range holds values below " + first.start());
    }
    for (int i = 0; i < ranges.size(); i++) {
      notEmpty(ranges.get(i));
      if (i + 1 < ranges.size()) {
        join(ranges.get(i), ranges.get(i + 1));
      }
    }
    KeyRange last = ranges.get(ranges.size() - 1);
    if (space.end(last).map(end -> end <= space.highest()).orElse(false)) {
      findings.add(Rule.RANGE_GAP, path, "no range holds values from " + last.end());
    }
  }

  private void notEmpty(KeyRange range) {
    long start = space.start(range);
    boolean empty = space.end(range).map(end -> end <= start).orElse(false);
    if (empty || start > space.highest()) {
      findings.add(Rule.RANGE_EMPTY, path, "the range " + range.bounds() + " holds no value");
    }
    if (space.type() == ShardIndexType.MODULO
        && space.end(range).map(end -> end - 1 > space.highest()).orElse(false)) {
      findings.add(
          Rule.RANGE_BOUND, path, "the range " + range.bounds() + " ends beyond the last bucket");
    }
  }

  private void join(KeyRange range, KeyRange next) {
    Optional<Long> end = space.end(range);
    long start = space.start(next);
    if (end.isEmpty() || end.get() > start) {
      findings.add(
          Rule.RANGE_OVERLAP,
          path,
          "the ranges " + range.bounds() + " and " + next.bounds() + " overlap");
    } else if (end.get() < start) {
      findings.add(
          Rule.RANGE_GAP,
          path,
          "no range holds values from " + range.end() + " to " + next.start());
    }
  }
}
