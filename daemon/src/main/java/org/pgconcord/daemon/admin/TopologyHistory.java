package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.pgconcord.config.catalog.CatalogState;

/** What {@code topology history} prints: the newest documents, the newest first. */
public record TopologyHistory(List<Entry> documents) {
  public TopologyHistory {
    documents = List.copyOf(documents);
  }

  /**
   * One document that was applied.
   *
   * @param appliedAt ISO 8601, UTC
   * @param changes a line for each place that differs from the one before; empty for the first
   */
  public record Entry(long revision, String appliedAt, String comment, List<String> changes) {
    public Entry {
      changes = List.copyOf(changes);
    }

    static Entry of(CatalogState.Document document, List<String> changes) {
      return new Entry(
          document.revision(), document.appliedAt().toString(), document.comment(), changes);
    }
  }

  /** What {@code topology show --revision} prints. */
  public record Past(long revision, String appliedAt, String comment, JsonNode document) {
    static Past of(CatalogState.Document stored, JsonNode document) {
      return new Past(stored.revision(), stored.appliedAt().toString(), stored.comment(), document);
    }
  }
}
