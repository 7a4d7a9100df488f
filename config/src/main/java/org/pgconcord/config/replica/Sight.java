package org.pgconcord.config.replica;

import java.time.Duration;
import java.util.Optional;
import org.pgconcord.config.settings.ShardAddress;

/**
 * What is known of one replica from the last time it was asked; good for choosing and for telling,
 * never for believing: the session that reads asks again.
 *
 * @param answer empty when it could not be asked
 * @param failure why, or empty
 * @param lag how old at most what it shows is; empty when that is not known
 */
public record Sight(
    ShardAddress address, Optional<ReplicaAnswer> answer, String failure, Optional<Duration> lag) {

  /** Why it cannot be read, as it seems. */
  public Optional<String> obstacle(Optional<Floor> floor) {
    if (answer.isEmpty()) {
      return Optional.of(failure);
    }
    return floor.isEmpty()
        ? Optional.of("the primary has not been heard of, so that nobody knows the lag")
        : floor.get().obstacle(answer.get());
  }
}
