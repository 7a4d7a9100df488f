package org.pgconcord.config.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each rule about documents is broken once in {@code rules.txt}, and only there. */
class RulesTest {
  static List<RuleCases.RuleCase> cases() {
    return RuleCases.all();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theDocumentHasJustTheseFindings(RuleCases.RuleCase ruleCase) {
    TopologyReading reading = TopologyReader.read(ruleCase.document());
    assertThat(reading.findings())
        .extracting(f -> f.id() + " " + f.path())
        .containsExactlyInAnyOrderElementsOf(ruleCase.findings());
    assertThat(reading.topology()).isEmpty();
    assertThat(reading.findings())
        .allSatisfy(f -> assertThat(f.remedy()).isNotBlank().doesNotContain("\n"));
  }

  @Test
  void everyRuleAboutDocumentsHasACase() {
    Set<String> broken =
        RuleCases.all().stream()
            .flatMap(c -> c.findings().stream())
            .map(f -> f.substring(0, f.indexOf(' ')))
            .collect(Collectors.toSet());
    Stream<String> rules = Arrays.stream(Rule.values()).filter(Rule::aboutDocument).map(Rule::id);
    assertThat(broken).containsExactlyInAnyOrderElementsOf(rules.toList());
  }

  @Test
  void theNearestKnownWordIsProposed() {
    String document =
        Documents.seed()
            .replace("\"key_ranges\"", "\"key_range\"")
            .replace("users_by_email\": {", "user_by_email\": {");
    assertThat(TopologyReader.read(document).findings())
        .extracting(Finding::message)
        .anySatisfy(m -> assertThat(m).contains("did you mean \"key_ranges\"?"))
        .anySatisfy(m -> assertThat(m).contains("did you mean \"user_by_email\"?"));
  }

  @Test
  void allFindingsOfAllStagesComeAtOnce() {
    String document =
        Documents.seed()
            .replaceAll("\\s", "")
            .replace("\"authoritative_shard_group\":\"meta\"", "\"authoritative_group\":\"meta\"")
            .replace("\"end\":\"80\"", "\"end\":\"90\"")
            .replace(
                "\"users\":{\"shard_group\":\"tenant_data\"", "\"users\":{\"shard_group\":\"x\"")
            .replace("\"unique\":true", "\"unique\":false,\"covering\":true");
    assertThat(TopologyReader.read(document).findings())
        .extracting(Finding::id)
        .containsExactlyInAnyOrder(
            "json/unknown-key",
            "json/missing-key",
            "range/overlap",
            "group/unknown",
            "gsi/no-owner-pk",
            "gsi/covering-not-unique");
  }

  @Test
  void anUpperCaseBoundIsTheSameBound() {
    String upper = Documents.seed().replace("\"80\"", "\"8A\"");
    String lower = Documents.seed().replace("\"80\"", "\"8a\"");
    assertThat(TopologyReader.read(upper).orThrow())
        .isEqualTo(TopologyReader.read(lower).orThrow());
  }

  @Test
  void nullAndTheEmptyTextAreOpenBounds() {
    String document =
        Documents.seed()
            .replace("\"end\": \"80\"", "\"start\": null, \"end\": \"80\"")
            .replace("\"start\": \"80\"", "\"start\": \"80\", \"end\": \"\"");
    assertThat(TopologyReader.read(document).orThrow())
        .isEqualTo(TopologyReader.read(Documents.seed()).orThrow());
  }
}
