package org.pgconcord.config.replica;

import java.util.Optional;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.Lsn;

/**
 * What a replica must have replayed: everything that the primary had written at some moment.
 *
 * @param primary the server whose log this is a place in
 */
public record Floor(ServerIdentity primary, Lsn lsn) {

  /** Why the server that gave this answer is not to be read, ever or as yet. */
  public Optional<String> obstacle(ReplicaAnswer answer) {
    return misfit(answer)
        .or(
            () ->
                answer.replayed().isBefore(lsn)
                    ? Optional.of(
                        "it lags: it has replayed %s and would need %s"
                            .formatted(answer.replayed(), lsn))
                    : Optional.empty());
  }

  /** Why it cannot be a replica of this primary, however far it is. */
  Optional<String> misfit(ReplicaAnswer answer) {
    if (!answer.inRecovery()) {
      return Optional.of("it is no standby: promoted, or a primary");
    } else if (answer.systemIdentifier() != primary.systemIdentifier()) {
      return Optional.of("it is a replica of another system");
    } else if (answer.timeline() != primary.timeline()) {
      return Optional.of(
          "it replays timeline %d, the primary writes %d"
              .formatted(answer.timeline(), primary.timeline()));
    }
    return Optional.empty();
  }
}
