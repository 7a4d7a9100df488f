package org.pgconcord.config.catalog;

import java.time.Instant;

/**
 * A verification report as stored.
 *
 * @param kind {@link Kind}
 * @param subject {@code app.by_email}, or {@code app.public.countries} for a reference table
 * @param revision the catalog's when the verification began
 * @param document JSON, docs/formats.md
 */
public record StoredReport(
    long id,
    Kind kind,
    String subject,
    boolean clean,
    long revision,
    Instant storedAt,
    String document) {
  /** What was verified. */
  public enum Kind {
    GSI,
    REFERENCE;

    String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
