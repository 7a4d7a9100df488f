package org.pgconcord.verifier.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;

class ReportJsonTest {
  private static final VerificationReport REPORT =
      new VerificationReport(
          "00ff",
          "app.by_email",
          "abcd",
          7,
          3,
          "tailing",
          Map.of("shard-a/public.users", "1:ff"),
          Instant.parse("2026-01-02T03:04:05.678901Z"),
          Instant.parse("2026-01-02T03:04:06Z"),
          Map.of("shard-a", "0/16B3748", "shard-b", "1/0"),
          new Counts(10, 9, 1, 0, 0, 0, 0, 0, 2),
          List.of(
              new Sample(
                  Difference.MISSING,
                  "\u00e9@x",
                  List.of(new Sample.Owner("shard-b", "7", List.of("7", "12"))),
                  null)),
          true,
          List.of(),
          0);

  @Test
  void aReportIsReadAsItWasWritten() {
    assertThat(ReportJson.read(ReportJson.write(REPORT))).isEqualTo(REPORT);
  }

  @Test
  void aReportOfTheFormatBeforeSaysNothingOfTables() {
    String tables = "\"tables\" : {\n    \"shard-a/public.users\" : \"1:ff\"\n  },";
    String json = ReportJson.write(REPORT);
    assertThat(json).contains(tables);
    String before = json.replace("\"format\" : 2", "\"format\" : 1").replace(tables, "");
    assertThat(ReportJson.read(before).tables()).isEmpty();
    assertThat(ReportJson.read(before).counts()).isEqualTo(REPORT.counts());
  }

  @Test
  void theDocumentHasTheFieldsThatTheFormatNames() {
    assertThat(ReportJson.write(REPORT))
        .contains(
            "\"format\" : 2",
            "\"definition_hash\" : \"abcd\"",
            "\"started_at\" : \"2026-01-02T03:04:05.678901Z\"",
            "\"clean\" : false",
            "\"wrong_owner\" : 0",
            "\"difference\" : \"missing\"",
            "\"primary_key\" : [ \"7\", \"12\" ]");
  }

  @Test
  void docsNameEveryField() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "formats.md"));
    String part = page.substring(page.indexOf("## Verification report of an index"));
    new JsonMapper()
        .readTree(ReportJson.write(REPORT))
        .fieldNames()
        .forEachRemaining(name -> assertThat(part).contains("`" + name + "`"));
    for (RecordComponent count : Counts.class.getRecordComponents()) {
      String name = count.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
      assertThat(part).contains("`counts." + name + "`");
    }
  }

  @Test
  void whatIsNotJustSuchADocumentIsRefused() {
    String json = ReportJson.write(REPORT);
    for (String broken :
        List.of(
            json.replace("\"format\" : 2", "\"format\" : 3"),
            json.replace("\"format\" : 2", "\"format\" : \"2\""),
            json.replace("\"clean\" : false", "\"clean\" : true"),
            json.replace("\"epoch\" : 3,", ""),
            json.replace("\"epoch\" : 3", "\"epoch\" : \"3\""),
            json.replace("\"epoch\" : 3", "\"epoch\" : 3.5"),
            json.replace("\"epoch\" : 3", "\"epoch\" : 3, \"epoch\" : 4"),
            json.replace("\"epoch\" : 3", "\"epoch\" : 3, \"epoc\" : 4"),
            json.replace("\"missing\" : 1,", ""),
            json.replace("\"tables\"", "\"tabels\""),
            json.replace("2026-01-02T03:04:06Z", "yesterday"),
            json.replace("\"difference\" : \"missing\"", "\"difference\" : \"gone\""),
            json + "{}",
            "{",
            "null")) {
      assertThatThrownBy(() -> ReportJson.read(broken))
          .as(broken)
          .isInstanceOfSatisfying(
              ConcordException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.VERIFY_REPORT_UNREADABLE));
    }
  }

  @Test
  void differencesIncompletenessAndSkippedShardsAreEachNotClean() {
    Counts none = new Counts(9, 9, 0, 0, 0, 0, 0, 0, 5);
    assertThat(with(none, true, List.of()).clean()).isTrue();
    assertThat(with(none, false, List.of()).clean()).isFalse();
    assertThat(with(none, true, List.of("shard-b")).clean()).isFalse();
    for (int i = 0; i < 6; i++) {
      long[] one = new long[6];
      one[i] = 1;
      Counts counts = new Counts(9, 9, one[0], one[1], one[2], one[3], one[4], one[5], 0);
      assertThat(with(counts, true, List.of()).clean()).as("%s", counts).isFalse();
    }
  }

  private static VerificationReport with(Counts counts, boolean complete, List<String> skipped) {
    return new VerificationReport(
        REPORT.id(),
        REPORT.gsi(),
        REPORT.definitionHash(),
        REPORT.topologyRevision(),
        REPORT.epoch(),
        REPORT.state(),
        REPORT.tables(),
        REPORT.startedAt(),
        REPORT.finishedAt(),
        REPORT.positions(),
        counts,
        List.of(),
        complete,
        skipped,
        0);
  }
}
