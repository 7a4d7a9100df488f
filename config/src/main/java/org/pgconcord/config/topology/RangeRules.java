package org.pgconcord.config.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.pgconcord.config.value.ShardId;

/**
 * The key ranges of one group: bounds are hex prefixes of the 64-bit value, left-aligned; together
 * the ranges cover each value exactly once.
 */
final class RangeRules {
  private static final Pattern BOUND = Pattern.compile("[0-9a-fA-F]{0,16}");

  private RangeRules() {}

  /**
   * The ranges in the order of their starts; a malformed one is left out.
   *
   * @param hashed false when bounds are numbers of another kind: then only their form is checked
   */
  static List<KeyRange> resolve(Document.Group group, boolean hashed, Findings findings) {
    String path = group.path() + ".key_ranges";
    findings.require(
        !group.ranges().isEmpty(), Rule.GROUP_NO_RANGES, path, "the group has no key range");
    List<KeyRange> ranges = new ArrayList<>();
    for (Document.Range range : group.ranges()) {
      boolean startReads = bound(range.start(), range.path() + ".start", findings);
      boolean endReads = bound(range.end(), range.path() + ".end", findings);
      if (startReads && endReads && !range.shard().isEmpty()) {
        ranges.add(
            new KeyRange(new ShardId(range.shard()), lower(range.start()), lower(range.end())));
      }
    }
    boolean complete = ranges.size() == group.ranges().size();
    ranges.sort(Comparator.comparing(KeyRange::startValue, Long::compareUnsigned));
    if (hashed && complete && !ranges.isEmpty()) {
      cover(ranges, path, findings);
    }
    return ranges;
  }

  private static boolean bound(String text, String path, Findings findings) {
    boolean wellFormed = BOUND.matcher(text).matches();
    findings.require(
        wellFormed, Rule.RANGE_BOUND, path, "\"" + text + "\" is not 1 to 16 hexadecimal digits");
    return wellFormed;
  }

  private static String lower(String bound) {
    return bound.toLowerCase(Locale.ROOT);
  }

  private static void cover(List<KeyRange> ranges, String path, Findings findings) {
    KeyRange first = ranges.get(0);
    if (first.startValue() != 0) {
      findings.add(Rule.RANGE_GAP, path, "no range holds values below " + first.start());
    }
    for (int i = 0; i < ranges.size(); i++) {
      KeyRange range = ranges.get(i);
      if (range.isEmpty()) {
        findings.add(Rule.RANGE_EMPTY, path, "the range " + range.bounds() + " holds no value");
      }
      if (i + 1 < ranges.size()) {
        join(range, ranges.get(i + 1), path, findings);
      }
    }
    String end = ranges.get(ranges.size() - 1).end();
    if (!end.isEmpty()) {
      findings.add(Rule.RANGE_GAP, path, "no range holds values from " + end);
    }
  }

  private static void join(KeyRange range, KeyRange next, String path, Findings findings) {
    int order =
        range.end().isEmpty() ? 1 : Long.compareUnsigned(range.endValue(), next.startValue());
    if (order > 0) {
      findings.add(
          Rule.RANGE_OVERLAP,
          path,
          "the ranges " + range.bounds() + " and " + next.bounds() + " overlap");
    } else if (order < 0) {
      findings.add(
          Rule.RANGE_GAP,
          path,
          "no range holds values from " + range.end() + " to " + next.start());
    }
  }
}
