package org.pgconcord.config.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Parses a text into a tree and reports each duplicate key; Jackson's own tree reader would either
 * keep the last one silently or stop at the first.
 */
final class JsonTree {
  private static final JsonFactory JSON = new JsonFactory();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final List<JsonProblem> problems;

  private JsonTree(List<JsonProblem> problems) {
    this.problems = problems;
  }

  /** The tree; empty, with a problem added, when the text is not one JSON value. */
  static Optional<JsonNode> parse(String text, List<JsonProblem> problems) {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        problems.add(syntax("the document is empty"));
        return Optional.empty();
      }
      JsonNode root = new JsonTree(problems).value(parser, "$");
      if (parser.nextToken() != null) {
        problems.add(syntax("there is more text after the document's end"));
        return Optional.empty();
      }
      return Optional.of(root);
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      String where =
          at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
      problems.add(syntax("not valid JSON" + where + ": " + e.getOriginalMessage()));
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode value(JsonParser parser, String path) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, path);
      case START_ARRAY -> array(parser, path);
      case VALUE_STRING -> NODES.textNode(parser.getText());
      case VALUE_NUMBER_INT -> NODES.numberNode(parser.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDecimalValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      default -> NODES.nullNode();
    };
  }

  private JsonNode object(JsonParser parser, String path) throws IOException {
    ObjectNode node = NODES.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      String keyPath = JsonPath.child(path, key);
      parser.nextToken();
      JsonNode value = value(parser, keyPath);
      if (node.has(key)) {
        problems.add(
            new JsonProblem(
                JsonProblem.Kind.DUPLICATE_KEY, keyPath, "the key \"" + key + "\" occurs twice"));
      } else {
        node.set(key, value);
      }
    }
    return node;
  }

  private JsonNode array(JsonParser parser, String path) throws IOException {
    ArrayNode node = NODES.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      node.add(value(parser, path + "[" + node.size() + "]"));
    }
    return node;
  }

  private static JsonProblem syntax(String message) {
    return new JsonProblem(JsonProblem.Kind.SYNTAX, "$", message);
  }
}
