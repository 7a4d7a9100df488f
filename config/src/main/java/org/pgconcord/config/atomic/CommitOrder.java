package org.pgconcord.config.atomic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * In which order the participants of a transaction that is decided to commit are committed, by
 * whoever does it. Pure.
 *
 * <p>All of a part before any of the next. Leaders of reference tables besides one by one, in
 * descending order of their shards' uids: a leader has the lowest uid of its table's copies, so
 * when it commits, and lets the next writer in, every copy of its table has committed, also one
 * that leads another table.
 */
public final class CommitOrder {
  /** The same for participants that come one by one. */
  public static final Comparator<GlobalId> BY_NAME =
      Comparator.comparing(GlobalId::part)
          .thenComparing(GlobalId::shard, Comparator.reverseOrder());

  private CommitOrder() {}

  /** Groups that commit one after the other; each group's members at once. None is empty. */
  public static List<List<Participant>> of(Collection<Participant> participants) {
    List<List<Participant>> order = new ArrayList<>();
    for (Part part : Part.values()) {
      List<Participant> group = participants.stream().filter(p -> p.part() == part).toList();
      if (part == Part.LEAD) {
        group.stream()
            .sorted(Comparator.comparing(Participant::gid, BY_NAME))
            .forEach(leader -> order.add(List.of(leader)));
      } else if (!group.isEmpty()) {
        order.add(group);
      }
    }
    return order;
  }
}
