package org.pgconcord.daemon.topology;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What differs between two topology documents, a line for each place, in the document's own words:
 * {@code databases.app.global_secondary_indexes.by_email.enabled: false -> true}. Arrays of named
 * things are compared by name. For people; nothing is decided on it.
 */
public final class DocumentChanges {
  private static final List<String> NAMES = List.of("uid", "name", "shard_uid");
  private static final int VALUE_CHARS = 60;

  private final List<String> lines = new ArrayList<>();

  private DocumentChanges() {}

  public static List<String> between(JsonNode before, JsonNode after) {
    DocumentChanges changes = new DocumentChanges();
    changes.compare("", before, after);
    return List.copyOf(changes.lines);
  }

  private void compare(String path, JsonNode before, JsonNode after) {
    if (before.equals(after)) {
      return;
    }
    Map<String, JsonNode> old = parts(before);
    Map<String, JsonNode> now = parts(after);
    if (old.isEmpty() || now.isEmpty()) {
      lines.add(path + ": " + text(before) + " -> " + text(after));
      return;
    }
    int known = lines.size();
    Set<String> keys = new LinkedHashSet<>(old.keySet());
    keys.addAll(now.keySet());
    for (String key : keys) {
      String place = path.isEmpty() ? key : path + "." + key;
      JsonNode oldPart = old.get(key);
      JsonNode newPart = now.get(key);
      if (oldPart == null) {
        lines.add("added " + place);
      } else if (newPart == null) {
        lines.add("removed " + place);
      } else {
        compare(place, oldPart, newPart);
      }
    }
    if (lines.size() == known) {
      lines.add(path + ": in another order");
    }
  }

  /** Empty for a value without named parts. */
  private static Map<String, JsonNode> parts(JsonNode node) {
    Map<String, JsonNode> parts = new LinkedHashMap<>();
    if (node.isObject()) {
      node.properties().forEach(field -> parts.put(field.getKey(), field.getValue()));
    }
    for (JsonNode element : node.isArray() ? node : List.<JsonNode>of()) {
      String name =
          NAMES.stream()
              .map(key -> element.path(key).asText())
              .filter(t -> !t.isEmpty())
              .findFirst()
              .orElse("");
      if (name.isEmpty() || parts.put(name, element) != null) {
        return Map.of();
      }
    }
    return parts;
  }

  private static String text(JsonNode value) {
    String text = value.toString();
    return text.length() <= VALUE_CHARS ? text : text.substring(0, VALUE_CHARS) + "...";
  }
}
