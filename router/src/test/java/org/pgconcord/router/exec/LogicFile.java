package org.pgconcord.router.exec;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of sqllogictest (sqlite.org/sqllogictest, "The sqllogictest language"), without the
 * answers that it expects: another server gives them. Records for other engines are left out.
 */
final class LogicFile {
  /** A statement, or a query: {@code sorted} when its rows have the order that it asks for. */
  record Item(String sql, boolean query, boolean sorted) {}

  private final List<Item> records = new ArrayList<>();

  private LogicFile() {}

  /** {@code name}: as {@code select1.test}. */
  static List<Item> read(String name) throws IOException {
    LogicFile file = new LogicFile();
    try (InputStream in = LogicFile.class.getResourceAsStream("/test/" + name);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in, name), StandardCharsets.UTF_8))) {
      List<String> block = new ArrayList<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          block.add(line);
        } else if (file.add(block)) {
          return file.records;
        } else {
          block.clear();
        }
      }
      file.add(block);
    }
    return file.records;
  }

  /** True where the file says to go no further. */
  private boolean add(List<String> block) {
    boolean others = false;
    int at = 0;
    while (at < block.size() && isCondition(block.get(at))) {
      others |= isForOthers(block.get(at));
      at++;
    }
    if (others || at == block.size()) {
      return false;
    }
    String[] words = block.get(at).split("\\s+");
    String sql = sql(block.subList(at + 1, block.size()));
    switch (words[0]) {
      case "halt" -> {
        return true;
      }
      case "statement" -> {
        if (words[1].equals("ok")) {
          records.add(new Item(sql, false, false));
        }
      }
      case "query" ->
          records.add(new Item(sql, true, words.length < 3 || words[2].equals("nosort")));
      default -> {}
    }
    return false;
  }

  private static boolean isCondition(String line) {
    return line.startsWith("#") || line.startsWith("skipif ") || line.startsWith("onlyif ");
  }

  private static boolean isForOthers(String line) {
    boolean ours = line.contains(" postgresql");
    return (line.startsWith("skipif ") && ours) || (line.startsWith("onlyif ") && !ours);
  }

  private static String sql(List<String> lines) {
    List<String> sql = new ArrayList<>();
    @Nullable String end = null;
    for (String line : lines) {
      if (line.startsWith("----")) {
        end = line;
      }
      if (end == null && !line.startsWith("#")) {
        sql.add(line);
      }
    }
    return String.join("\n", sql);
  }
}
