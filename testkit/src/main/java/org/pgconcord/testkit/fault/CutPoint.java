package org.pgconcord.testkit.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A moment of a run: just before the n-th message of one direction of one link.
 *
 * @param nth from 1
 * @param kind the message's, as it was in the run that was counted
 */
public record CutPoint(Link link, Direction direction, int nth, char kind) {
  /** Every message of a run as a point to cut at. */
  public static List<CutPoint> of(Journal journal) {
    List<CutPoint> points = new ArrayList<>();
    for (Map.Entry<Journal.Way, String> way : journal.kinds().entrySet()) {
      String kinds = way.getValue();
      for (int i = 0; i < kinds.length(); i++) {
        points.add(
            new CutPoint(way.getKey().link(), way.getKey().direction(), i + 1, kinds.charAt(i)));
      }
    }
    return points;
  }

  /** At this message, in another run of the same. */
  public Rule then(Action action) {
    return Rule.on(direction).link(link::equals).nth(nth).then(action);
  }

  @Override
  public String toString() {
    return link + " " + (direction == Direction.TO_SERVER ? ">" : "<") + nth + " " + kind;
  }
}
