package org.pgconcord.config.atomic;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A transaction as the catalog knows it. Ages are by the authoritative server's clock.
 *
 * @param routerAlive the router that registered it still runs
 * @param age since it was registered
 * @param finished how long ago its last participant was ended
 */
public record AtomicTransaction(
    String id,
    String router,
    boolean routerAlive,
    Duration age,
    Optional<Decided> decided,
    Optional<Duration> finished,
    List<Participant> participants) {
  public AtomicTransaction {
    participants = List.copyOf(participants);
  }

  /**
   * The decision row.
   *
   * @param by who inserted it: {@code router}, {@code resolver} or {@code operator}
   */
  public record Decided(Decision decision, String by, Duration age) {}

  /** The participants of one part. */
  public List<Participant> of(Part part) {
    return participants.stream().filter(p -> p.part() == part).toList();
  }
}
