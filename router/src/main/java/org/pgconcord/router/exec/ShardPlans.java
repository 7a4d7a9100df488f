package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;

/**
 * Several shards' plans in one answer. As text each stands under a heading that names its shard,
 * and the table where it fetches rows for a gathered query. Documents are lists: the shards' items
 * go into one list, each with {@code Shard} (and {@code Fetch}) as its first field.
 */
final class ShardPlans {
  private static final String XML_NAMESPACE = "http://www.postgresql.org/2009/explain";

  private final String format;

  /** {@code format}: a word that the shards have accepted. */
  ShardPlans(String format) {
    this.format = format;
  }

  /** The rows of the answer. */
  List<String> together(List<ShardExplain.Part> parts, List<String> plans) {
    return switch (format) {
      case "json" -> List.of(json(parts, plans));
      case "yaml" -> List.of(yaml(parts, plans));
      case "xml" -> List.of(xml(parts, plans));
      default -> text(parts, plans);
    };
  }

  private static List<String> text(List<ShardExplain.Part> parts, List<String> plans) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      ShardExplain.Part part = parts.get(i);
      rows.add(
          part.table().isEmpty()
              ? "Shard " + part.shard()
              : "Fetch %s on shard %s".formatted(part.table(), part.shard()));
      plans.get(i).lines().forEach(line -> rows.add("  " + line));
    }
    return rows;
  }

  /** Each is {@code [ {"Plan": ...} ]}, of one item or of several. */
  private static String json(List<ShardExplain.Part> parts, List<String> plans) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String plan = plans.get(i).strip();
      int open = plan.indexOf('{');
      require(plan.startsWith("[") && plan.endsWith("]") && open > 0);
      items.add(
          "  {\n    "
              + fields(parts.get(i), "\"Shard\": ", "\"Fetch\": ", ",\n    ")
              + ",\n    "
              + plan.substring(open + 1, plan.length() - 1).strip());
    }
    return items.stream().collect(Collectors.joining(",\n", "[\n", "\n]"));
  }

  /** Each is {@code - Plan: ...}. */
  private static String yaml(List<ShardExplain.Part> parts, List<String> plans) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String plan = plans.get(i);
      require(plan.startsWith("- "));
      items.add(
          "- " + fields(parts.get(i), "Shard: ", "Fetch: ", "\n  ") + "\n  " + plan.substring(2));
    }
    return String.join("\n", items);
  }

  /** Each is {@code <explain><Query>...</Query></explain>}. */
  private static String xml(List<ShardExplain.Part> parts, List<String> plans) {
    StringBuilder all = new StringBuilder("<explain xmlns=\"" + XML_NAMESPACE + "\">\n");
    for (int i = 0; i < parts.size(); i++) {
      String plan = plans.get(i);
      int from = plan.indexOf("<Query>");
      int to = plan.lastIndexOf("</explain>");
      require(from > 0 && to > from);
      ShardExplain.Part part = parts.get(i);
      all.append("  <Query>\n    <Shard>").append(part.shard()).append("</Shard>\n");
      if (!part.table().isEmpty()) {
        all.append("    <Fetch>").append(escaped(part.table())).append("</Fetch>\n");
      }
      all.append(plan, from + "<Query>\n".length(), to);
    }
    return all.append("</explain>").toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String fields(ShardExplain.Part part, String shard, String fetch, String between) {
    String first = shard + quoted(part.shard().uid());
    return part.table().isEmpty() ? first : first + between + fetch + quoted(part.table());
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static void require(boolean known) {
    if (!known) {
      throw ErrorCode.INTERNAL.because("a shard's plan has not the form that PostgreSQL gives it");
    }
  }
}
