package org.pgconcord.config.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * One object of a document, read key by key. A key that is asked for is thereby known; {@link
 * #finish} reports the others. A value of the wrong type is reported and then treated as absent.
 */
public final class JsonObject {
  private final JsonNode node;
  private final String path;
  private final List<JsonProblem> problems;
  private final Set<String> known = new LinkedHashSet<>();

  private JsonObject(JsonNode node, String path, List<JsonProblem> problems) {
    this.node = node;
    this.path = path;
    this.problems = problems;
  }

  /** The document's root object; empty, with problems added, when the text holds none. */
  public static Optional<JsonObject> parse(String text, List<JsonProblem> problems) {
    return JsonTree.parse(text, problems).flatMap(n -> object(n, "$", problems));
  }

  private static Optional<JsonObject> object(
      JsonNode node, String path, List<JsonProblem> problems) {
    if (!node.isObject()) {
      problems.add(wrongType(path, "an object", node));
      return Optional.empty();
    }
    return Optional.of(new JsonObject(node, path, problems));
  }

  public String path() {
    return path;
  }

  /** The path of one of this object's keys. */
  public String path(String key) {
    return JsonPath.child(path, key);
  }

  public boolean has(String key) {
    known.add(key);
    return node.has(key);
  }

  /** A string that must be there and not empty; the empty text, with a problem, when it is not. */
  public String text(String key) {
    Optional<String> text = optionalText(key);
    if (text.isEmpty() && !node.has(key)) {
      problems.add(missing(key));
    } else if (text.isPresent() && text.get().isEmpty()) {
      problems.add(new JsonProblem(JsonProblem.Kind.WRONG_TYPE, path(key), "the text is empty"));
    }
    return text.orElse("");
  }

  public Optional<String> optionalText(String key) {
    return typed(key, "a string", JsonNode::isTextual, JsonNode::textValue);
  }

  /** A string where null and absence both mean the empty text. */
  public String nullableText(String key) {
    known.add(key);
    JsonNode value = node.get(key);
    return value == null || value.isNull() ? "" : optionalText(key).orElse("");
  }

  public boolean flag(String key, boolean whenAbsent) {
    return typed(key, "true or false", JsonNode::isBoolean, JsonNode::booleanValue)
        .orElse(whenAbsent);
  }

  public OptionalLong integer(String key) {
    return typed(
            key,
            "an integer of 64 bits",
            n -> n.isIntegralNumber() && n.canConvertToLong(),
            n -> OptionalLong.of(n.longValue()))
        .orElse(OptionalLong.empty());
  }

  public Optional<JsonObject> object(String key) {
    known.add(key);
    JsonNode value = node.get(key);
    return value == null ? Optional.empty() : object(value, path(key), problems);
  }

  /** An object whose keys are names that the user chose. */
  public Map<String, JsonObject> objectsByName(String key) {
    Map<String, JsonObject> result = new LinkedHashMap<>();
    object(key)
        .ifPresent(
            map ->
                map.node
                    .properties()
                    .forEach(
                        e ->
                            object(e.getValue(), map.path(e.getKey()), problems)
                                .ifPresent(o -> result.put(e.getKey(), o))));
    return result;
  }

  /** An object from names that the user chose to strings. */
  public Map<String, String> textsByName(String key) {
    Map<String, String> result = new LinkedHashMap<>();
    object(key)
        .ifPresent(
            map ->
                map.node
                    .fieldNames()
                    .forEachRemaining(
                        name -> map.optionalText(name).ifPresent(t -> result.put(name, t))));
    return result;
  }

  public List<JsonObject> objects(String key) {
    List<JsonObject> result = new ArrayList<>();
    elements(key, (element, at) -> object(element, at, problems).ifPresent(result::add));
    return result;
  }

  public List<String> texts(String key) {
    List<String> result = new ArrayList<>();
    elements(
        key,
        (element, at) -> {
          if (element.isTextual() && !element.textValue().isEmpty()) {
            result.add(element.textValue());
          } else {
            problems.add(wrongType(at, "a string that is not empty", element));
          }
        });
    return result;
  }

  /** Reports the key as missing unless it is there. */
  public void require(String key) {
    known.add(key);
    if (!node.has(key)) {
      problems.add(missing(key));
    }
  }

  /** Reports every key that nobody asked for. */
  public void finish() {
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!known.contains(key)) {
                problems.add(unknown(key));
              }
            });
  }

  private interface Element {
    void read(JsonNode element, String path);
  }

  private void elements(String key, Element each) {
    JsonNode array =
        typed(key, "an array", JsonNode::isArray, n -> n)
            .orElseGet(JsonNodeFactory.instance::arrayNode);
    for (int i = 0; i < array.size(); i++) {
      each.read(array.get(i), path(key) + "[" + i + "]");
    }
  }

  private <T> Optional<T> typed(
      String key, String expected, Function<JsonNode, Boolean> is, Function<JsonNode, T> as) {
    known.add(key);
    JsonNode value = node.get(key);
    if (value == null) {
      return Optional.empty();
    }
    if (!is.apply(value)) {
      problems.add(wrongType(path(key), expected, value));
      return Optional.empty();
    }
    return Optional.of(as.apply(value));
  }

  private JsonProblem missing(String key) {
    return new JsonProblem(
        JsonProblem.Kind.MISSING_KEY, path(key), "the key \"" + key + "\" is missing");
  }

  private JsonProblem unknown(String key) {
    List<String> absent = known.stream().filter(k -> !node.has(k)).toList();
    return new JsonProblem(
        JsonProblem.Kind.UNKNOWN_KEY,
        path(key),
        "unknown key \"" + key + "\"" + DidYouMean.hint(key, absent));
  }

  private static JsonProblem wrongType(String path, String expected, JsonNode actual) {
    String kind = actual.getNodeType().name().toLowerCase(java.util.Locale.ROOT);
    return new JsonProblem(
        JsonProblem.Kind.WRONG_TYPE, path, "expected " + expected + ", found " + kind);
  }
}
