package org.pgconcord.daemon.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One operation of the admin API.
 *
 * @param method GET reads, POST changes
 * @param path segments, those in braces are arguments: {@code /api/v1/gsis/{name}/build}
 */
public record Route(String method, String path, Handler handler) {

  /** Answers one request with a document that {@link Json} can write, or text. */
  @FunctionalInterface
  public interface Handler {
    Answer answer(Request request) throws Exception;
  }

  /** The arguments named by the path when {@code actual} is of this route's form. */
  Optional<Map<String, String>> arguments(String actual) {
    String[] want = path.split("/", -1);
    String[] have = actual.split("/", -1);
    if (want.length != have.length) {
      return Optional.empty();
    }
    Map<String, String> arguments = new HashMap<>();
    for (int i = 0; i < want.length; i++) {
      if (want[i].startsWith("{")) {
        arguments.put(
            want[i].substring(1, want[i].length() - 1),
            URLDecoder.decode(have[i], StandardCharsets.UTF_8));
      } else if (!want[i].equals(have[i])) {
        return Optional.empty();
      }
    }
    return Optional.of(arguments);
  }
}
