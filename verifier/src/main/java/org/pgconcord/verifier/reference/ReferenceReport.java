package org.pgconcord.verifier.reference;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.verifier.report.ReportJson;

/**
 * The outcome of comparing all copies of one reference table.
 *
 * @param id random
 * @param table {@code database.schema.table}
 * @param leader the shard whose copy the others are held against
 * @param complete false when there were so many differences that the counts are lower bounds
 */
public record ReferenceReport(
    String id,
    String table,
    long topologyRevision,
    Instant startedAt,
    Instant finishedAt,
    String leader,
    List<CopyReport> copies,
    boolean complete) {
  /** Raised when the document changes; version N reads N-1. */
  public static final int FORMAT = 1;

  public ReferenceReport {
    copies = List.copyOf(copies);
  }

  /** All copies are equal. */
  public boolean clean() {
    return complete && copies.stream().allMatch(CopyReport::equalsLeader);
  }

  private record Document(
      int format,
      String id,
      String table,
      long topologyRevision,
      String startedAt,
      String finishedAt,
      boolean clean,
      String leader,
      boolean complete,
      List<CopyReport> copies) {}

  /** The stored form, docs/formats.md. */
  public String toJson() {
    Document document =
        new Document(
            FORMAT,
            id,
            table,
            topologyRevision,
            startedAt.toString(),
            finishedAt.toString(),
            clean(),
            leader,
            complete,
            copies);
    try {
      return ReportJson.STRICT.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw ErrorCode.INTERNAL.because("a report cannot be written").withCause(e);
    }
  }

  /**
   * Reads a stored report, strictly.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code verify/report-unreadable}
   */
  public static ReferenceReport ofJson(String json) {
    try {
      Document document = ReportJson.STRICT.readValue(json, Document.class);
      ReferenceReport report =
          new ReferenceReport(
              document.id,
              document.table,
              document.topologyRevision,
              Instant.parse(document.startedAt),
              Instant.parse(document.finishedAt),
              document.leader,
              document.copies,
              document.complete);
      if (document.format != FORMAT || report.clean() != document.clean) {
        throw unreadable("its format or its \"clean\" does not fit");
      }
      return report;
    } catch (JsonProcessingException e) {
      throw unreadable(e.getOriginalMessage());
    } catch (DateTimeException | NullPointerException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static RuntimeException unreadable(String why) {
    return ErrorCode.VERIFY_REPORT_UNREADABLE.because("a stored report cannot be read: " + why);
  }
}
