package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code topology show} prints: the document that is applied, and beside each index's wish the
 * state that it has.
 *
 * @param revision the catalog's; documents and steps of states share the count
 * @param documentRevision the one that this document was applied as
 * @param appliedAt ISO 8601, UTC
 * @param routers those with a lease, and those whose lapse has not been seen to
 * @param changes of the document that {@code topology apply} replaced; null in {@code show}
 */
public record TopologyDocument(
    long revision,
    long documentRevision,
    String appliedAt,
    String comment,
    List<Index> gsis,
    List<Router> routers,
    @Nullable List<String> changes,
    JsonNode document) {
  public TopologyDocument {
    changes = changes == null ? null : List.copyOf(changes);
    gsis = List.copyOf(gsis);
    routers = List.copyOf(routers);
  }

  /** One declared index: {@code wish} is the document's flag, {@code state} the catalog's. */
  public record Index(String gsi, boolean wish, String state, String reason, long epoch) {}

  /**
   * One router.
   *
   * @param address where it listens
   * @param acknowledgedRevision nothing that began under an earlier one is open there
   * @param leaseUntil ISO 8601, UTC
   */
  public record Router(
      String router, String address, long acknowledgedRevision, String leaseUntil, boolean live) {}
}
