package org.pgconcord.verifier.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.error.ErrorCode;

/**
 * The stored form of reports (docs/formats.md). Reading is strict: an unknown, missing, repeated or
 * wrongly typed field, another format number, or a {@code clean} that the counts do not bear out is
 * an error, for enabling an index rests on this document.
 */
public final class ReportJson {
  /** Shared by all documents of this module. */
  public static final ObjectMapper STRICT =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private ReportJson() {}

  /** The document's fields, in its order. */
  private record Document(
      int format,
      String id,
      String gsi,
      String definitionHash,
      long topologyRevision,
      long epoch,
      String state,
      Map<String, String> tables,
      String startedAt,
      String finishedAt,
      boolean clean,
      Counts counts,
      Map<String, String> positions,
      List<String> skippedShards,
      boolean complete,
      long repaired,
      List<Sample> samples) {}

  public static String write(VerificationReport report) {
    Document document =
        new Document(
            VerificationReport.FORMAT,
            report.id(),
            report.gsi(),
            report.definitionHash(),
            report.topologyRevision(),
            report.epoch(),
            report.state(),
            report.tables(),
            report.startedAt().toString(),
            report.finishedAt().toString(),
            report.clean(),
            report.counts(),
            report.positions(),
            report.skippedShards(),
            report.complete(),
            report.repaired(),
            report.samples());
    try {
      return STRICT.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw ErrorCode.INTERNAL.because("a report cannot be written").withCause(e);
    }
  }

  /**
   * Reads a stored report.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code verify/report-unreadable}
   */
  public static VerificationReport read(String json) {
    try {
      Document document = document(STRICT.readTree(json));
      VerificationReport report =
          new VerificationReport(
              document.id,
              document.gsi,
              document.definitionHash,
              document.topologyRevision,
              document.epoch,
              document.state,
              document.tables,
              Instant.parse(document.startedAt),
              Instant.parse(document.finishedAt),
              document.positions,
              document.counts,
              document.samples,
              document.complete,
              document.skippedShards,
              document.repaired);
      if (report.clean() != document.clean) {
        throw unreadable("its counts say otherwise than its \"clean\"");
      }
      return report;
    } catch (JsonProcessingException e) {
      throw unreadable(e.getOriginalMessage());
    } catch (DateTimeException | NullPointerException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static Document document(JsonNode tree) throws JsonProcessingException {
    JsonNode format = tree.path("format");
    if (format.isInt() && format.asInt() == 1 && tree instanceof ObjectNode object) {
      object.putIfAbsent("tables", object.objectNode());
    } else if (!format.isInt() || format.asInt() != VerificationReport.FORMAT) {
      throw unreadable("its format is " + format);
    }
    return STRICT.treeToValue(tree, Document.class);
  }

  private static RuntimeException unreadable(String why) {
    return ErrorCode.VERIFY_REPORT_UNREADABLE.because("a stored report cannot be read: " + why);
  }
}
