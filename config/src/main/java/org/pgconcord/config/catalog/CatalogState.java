package org.pgconcord.config.catalog;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.value.GsiName;

/**
 * The catalog at one moment.
 *
 * @param clusterId twelve hexadecimal digits
 * @param revision counts documents and state steps alike; 0 before the first document
 * @param document the newest document; empty before the first
 * @param gsis of every index that a document ever declared
 * @param copies the marked copies of reference tables
 * @param fences of every table that a document ever asked to be fenced
 * @param stands the servers on which the indexes stand
 */
public record CatalogState(
    String clusterId,
    long revision,
    Optional<Document> document,
    Map<GsiName, GsiStatus> gsis,
    CopyMarks copies,
    Fences fences,
    Stands stands) {
  public CatalogState {
    gsis = Map.copyOf(gsis);
  }

  /**
   * A stored topology document.
   *
   * @param revision the one it was applied as
   */
  public record Document(long revision, String text, String comment, Instant appliedAt) {}

  public GsiStatus status(GsiName gsi) {
    return gsis.getOrDefault(gsi, new GsiStatus(GsiState.DECLARED, "", 0));
  }
}
