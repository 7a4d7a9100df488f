package org.pgconcord.router.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.opentest4j.TestAbortedException;
import org.pgconcord.testkit.RequiredTools;
import org.pgconcord.testkit.ToolRun;

/**
 * PostgreSQL's own scanner and grammar, by npm's libpg-query in a node process. Without node, npm
 * or a registry its tests are skipped with a visible line; with CI=true they fail.
 */
final class PostgresOracle {
  private static final Path SOURCES = Path.of("src/test/node").toAbsolutePath();

  private static final List<String> FILES =
      List.of(
          "package.json",
          "package-lock.json",
          "scan.mjs",
          "conjuncts.mjs",
          "shapes.mjs",
          "structure.mjs",
          "trees.mjs");

  private static final int BATCH = 5_000;

  private final Path node;
  private final Path directory;

  private PostgresOracle(Path node, Path directory) {
    this.node = node;
    this.directory = directory;
  }

  static PostgresOracle start() {
    Path node = RequiredTools.require("node");
    Path npm = RequiredTools.require("npm");
    Path directory = Path.of("target/node").toAbsolutePath();
    prepare(npm, directory);
    return new PostgresOracle(node, directory);
  }

  /** One process at a time: npm begins with an empty folder, whoever is at work in it. */
  private static synchronized void prepare(Path npm, Path directory) {
    try {
      Files.createDirectories(directory);
      try (FileChannel lock =
              FileChannel.open(
                  directory.resolveSibling("node.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock()) {
        for (String file : FILES) {
          copy(SOURCES.resolve(file), directory.resolve(file));
        }
        if (held.isValid()
            && !Files.exists(directory.resolve("node_modules/libpg-query/package.json"))) {
          install(npm, directory);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is there already may be running. */
  private static void copy(Path from, Path to) throws IOException {
    String text = Files.readString(from);
    if (!Files.exists(to) || !Files.readString(to).equals(text)) {
      Files.writeString(to, text);
    }
  }

  private static void install(Path npm, Path directory) {
    ToolRun run =
        ToolRun.of(
            List.of(
                npm.toString(), "ci", "--prefix", directory.toString(), "--no-audit", "--no-fund"),
            Map.of(),
            "");
    if (run.exitCode() == 0) {
      return;
    }
    String message = "npm ci failed: " + run.errors().lines().findFirst().orElse("");
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(message + ", and CI=true asks for every test");
    }
    System.out.println("SKIPPED: " + message);
    throw new TestAbortedException(message);
  }

  /** One token: bison's number of its type, and its place in bytes. */
  record Token(int type, int start, int end) {}

  /** What the scanner made of a text. */
  record Answer(boolean known, Optional<List<Token>> tokens) {}

  /** For each text its tokens without comments; none where the scanner raises an error. */
  List<Answer> scan(List<String> texts) {
    return inBatches("scan.mjs", texts).stream()
        .map(
            tokens ->
                new Answer(
                    !tokens.isNumber(),
                    tokens.isArray() ? Optional.of(tokens(tokens)) : Optional.empty()))
        .toList();
  }

  /**
   * For each SELECT, as JSON texts, the lists of integers that its WHERE clause demands of column
   * tenant_id; none where PostgreSQL's grammar refuses it.
   */
  List<Optional<List<String>>> conjuncts(List<String> texts) {
    List<Optional<List<String>>> all = new ArrayList<>();
    for (JsonNode found : inBatches("conjuncts.mjs", texts)) {
      List<String> lists = new ArrayList<>();
      found.forEach(list -> lists.add(list.toString()));
      all.add(found.isNull() ? Optional.empty() : Optional.of(lists));
    }
    return all;
  }

  /**
   * What the grammar makes of a statement.
   *
   * @param kind its first word, or what stands for it
   * @param shape what {@link ViewShape} must show as well
   * @param claims of which each one there must be one
   */
  record Shape(String kind, String shape, Set<String> claims) {}

  /** For each text what it is; empty where it is not one statement of PostgreSQL's. */
  List<Optional<Shape>> shapes(List<String> texts) {
    return inBatches("shapes.mjs", texts).stream()
        .map(found -> found.isNull() ? Optional.<Shape>empty() : Optional.of(shape(found)))
        .toList();
  }

  /** For each text its whole tree without places; empty where it is no statement. */
  List<Optional<String>> trees(List<String> texts) {
    return inBatches("trees.mjs", texts).stream()
        .map(found -> found.isNull() ? Optional.<String>empty() : Optional.of(found.asText()))
        .toList();
  }

  /**
   * One statement in three texts.
   *
   * @param starts of the tokens of the client's text, in bytes
   */
  record Texts(String written, String analysed, String bracketed, List<Integer> starts) {}

  /** For each statement what is otherwise in one of its texts' trees; empty for nothing. */
  List<Optional<String>> structures(List<Texts> statements) {
    List<Object> texts = new ArrayList<>();
    statements.forEach(
        t -> texts.add(List.of(t.written(), t.analysed(), t.bracketed(), t.starts())));
    return inBatches("structure.mjs", texts).stream()
        .map(found -> found.isNull() ? Optional.<String>empty() : Optional.of(found.asText()))
        .toList();
  }

  private static Shape shape(JsonNode found) {
    Set<String> claims = new HashSet<>();
    found.get("claims").forEach(claim -> claims.add(claim.asText()));
    return new Shape(found.get("kind").asText(), found.get("shape").asText(), claims);
  }

  private List<JsonNode> inBatches(String script, List<?> texts) {
    List<JsonNode> all = new ArrayList<>();
    for (int from = 0; from < texts.size(); from += BATCH) {
      run(script, texts.subList(from, Math.min(texts.size(), from + BATCH))).forEach(all::add);
    }
    return all;
  }

  private JsonNode run(String script, List<?> texts) {
    try {
      ObjectMapper json = new ObjectMapper();
      ToolRun run =
          ToolRun.of(
              List.of(node.toString(), directory.resolve(script).toString()),
              Map.of(),
              json.writeValueAsString(texts));
      if (run.exitCode() != 0) {
        throw new AssertionError(run.errors());
      }
      return json.readTree(run.output());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Token> tokens(JsonNode array) {
    List<Token> tokens = new ArrayList<>();
    for (JsonNode token : array) {
      tokens.add(new Token(token.get(0).asInt(), token.get(1).asInt(), token.get(2).asInt()));
    }
    return tokens;
  }
}
