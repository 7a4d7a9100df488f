package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.util.function.Function;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.daemon.admin.ErrorDocument;
import org.pgconcord.daemon.admin.Json;
import picocli.CommandLine.Option;

/** {@code --output}: how a command prints its result. */
final class Output {
  enum Form {
    text,
    json
  }

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text (default) or json.")
  private Form form = Form.text;

  boolean json() {
    return form == Form.json;
  }

  /** Prints the document itself, or the text made of it. */
  void print(JsonNode document, Function<JsonNode, String> text) {
    PrintStream out = System.out;
    out.println(json() ? Json.write(document) : text.apply(document).stripTrailing());
    out.flush();
  }

  static void printError(ConcordException error, boolean json) {
    System.err.print(json ? Json.write(ErrorDocument.of(error)) + "\n" : ErrorText.of(error));
    System.err.flush();
  }
}
