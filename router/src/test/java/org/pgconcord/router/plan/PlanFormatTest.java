package org.pgconcord.router.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.sql.StatementText;

/** Every plan's documents are documents, and say the same in JSON and in YAML. */
class PlanFormatTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM users WHERE tenant_id = 5",
        "SELECT * FROM users WHERE tenant_id IN (1, 2, 3)",
        "SELECT * FROM users WHERE email = E'\\b\\f\\n\"\\\\ \u0001 \u2028 \u00e9 - # : x'",
        "SELECT count(*), avg(user_id) FROM users u JOIN orders o ON o.order_id = u.user_id",
        "SELECT\n*\tFROM countries",
        "SELECT 1",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (1, 1, 'a'), (2, 1, 'b')",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (1, 1, 'a') ON CONFLICT DO NOTHING",
        "UPDATE users SET name = 'x'",
        "UPDATE countries SET name = 'x'",
        "SELECT ctid FROM users",
        "COPY users TO STDOUT",
        "COMMIT"
      })
  void documentsSayTheSame(String sql) throws JsonProcessingException {
    PlanContext context =
        PlanFixture.context(GsiState.ENABLED, List.of("\"$user\"", "public"), false, "shard-b");
    PlanOutline outline =
        PlanText.outline(
            new StatementPlanner().plan(StatementText.one(sql), context), Parameters.NONE);
    for (boolean verbose : List.of(false, true)) {
      List<String> json = PlanFormat.JSON.rows(outline, verbose);
      List<String> yaml = PlanFormat.YAML.rows(outline, verbose);
      assertThat(json).hasSize(1);
      assertThat(yaml).hasSize(1);
      JsonNode read = JSON.readTree(json.get(0));
      assertThat(read.path(0).path("Router Plan").path("Kind").asText()).isNotEmpty();
      assertThat(new BlockYaml(yaml.get(0)).read()).isEqualTo(read);
    }
  }

  /** Reads lists and mappings in block style, with values in JSON's notation. */
  private static final class BlockYaml {
    private final List<String> lines;
    private int at;

    BlockYaml(String text) {
      lines = new ArrayList<>(text.lines().toList());
    }

    JsonNode read() throws JsonProcessingException {
      JsonNode all = block(indent());
      assertThat(at).isEqualTo(lines.size());
      return all;
    }

    private int indent() {
      String line = lines.get(at);
      return line.length() - line.stripLeading().length();
    }

    private JsonNode block(int indent) throws JsonProcessingException {
      return lines.get(at).startsWith("- ", indent) ? list(indent) : mapping(indent);
    }

    private JsonNode list(int indent) throws JsonProcessingException {
      var list = JSON.createArrayNode();
      while (at < lines.size() && indent() == indent && lines.get(at).startsWith("- ", indent)) {
        String item = lines.get(at).substring(indent + 2);
        if (item.startsWith("\"")) {
          list.add(JSON.readTree(item));
          at++;
        } else {
          lines.set(at, " ".repeat(indent + 2) + item);
          list.add(mapping(indent + 2));
        }
      }
      return list;
    }

    private JsonNode mapping(int indent) throws JsonProcessingException {
      var mapping = JSON.createObjectNode();
      while (at < lines.size() && indent() == indent) {
        String line = lines.get(at).strip();
        int colon = line.indexOf(':');
        String name = line.substring(0, colon);
        String value = line.substring(colon + 1).strip();
        at++;
        assertThat(mapping.has(name)).as(name).isFalse();
        mapping.set(name, value.isEmpty() ? block(indent()) : JSON.readTree(value));
      }
      return mapping;
    }
  }
}
