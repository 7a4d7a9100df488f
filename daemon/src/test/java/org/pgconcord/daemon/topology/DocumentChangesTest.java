package org.pgconcord.daemon.topology;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.daemon.admin.Json;

class DocumentChangesTest {
  @Test
  void nothingChangesBetweenEqualDocuments() {
    assertThat(changes("{'a': {'b': [1, 2]}}", "{'a': {'b': [1, 2]}}")).isEmpty();
  }

  @Test
  void eachPlaceIsNamedOnce() {
    assertThat(
            changes(
                "{'gsis': {'x': {'enabled': false, 'columns': ['e']}, 'old': {'a': 1}}}",
                "{'gsis': {'x': {'enabled': true, 'columns': ['e', 'f']}, 'new': {'a': 1}}}"))
        .containsExactly(
            "gsis.x.enabled: false -> true",
            "gsis.x.columns: [\"e\"] -> [\"e\",\"f\"]",
            "removed gsis.old",
            "added gsis.new");
  }

  @Test
  void namedElementsAreComparedByTheirNames() {
    assertThat(
            changes(
                "{'groups': [{'uid': 'a', 'key_ranges': [{'shard_uid': 's', 'end': '80'}]}]}",
                "{'groups': [{'uid': 'b'}, {'uid': 'a', 'key_ranges': [{'shard_uid': 's', 'end': '40'}]}]}"))
        .containsExactly("groups.a.key_ranges.s.end: \"80\" -> \"40\"", "added groups.b");
    assertThat(
            changes("{'g': [{'uid': 'a'}, {'uid': 'b'}]}", "{'g': [{'uid': 'b'}, {'uid': 'a'}]}"))
        .containsExactly("g: in another order");
  }

  private static List<String> changes(String before, String after) {
    return DocumentChanges.between(json(before), json(after));
  }

  private static JsonNode json(String text) {
    return Json.read(text.replace('\'', '"'), "a test");
  }
}
