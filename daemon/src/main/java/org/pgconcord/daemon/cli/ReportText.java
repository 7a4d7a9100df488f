package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.pgconcord.daemon.admin.Json;

/** A verification report as text for people; the JSON form has every sample. */
public final class ReportText {
  private ReportText() {}

  public static String of(JsonNode report) {
    return (report.path("clean").asBoolean() ? "clean\n" : "differences found\n")
        + Json.write(report);
  }
}
