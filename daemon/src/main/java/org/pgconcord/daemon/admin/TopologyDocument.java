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
 * @param changes of the document that {@code topology apply} replaced; null in {@code show}
 */
public record TopologyDocument(
    long revision,
    long documentRevision,
    String appliedAt,
    String comment,
    List<Index> gsis,
    @Nullable List<String> changes,
    JsonNode document) {
  public TopologyDocument {
    changes = changes == null ? null : List.copyOf(changes);
    gsis = List.copyOf(gsis);
  }

  /** One declared index: {@code wish} is the document's flag, {@code state} the catalog's. */
  public record Index(String gsi, boolean wish, String state, String reason, long epoch) {}
}
