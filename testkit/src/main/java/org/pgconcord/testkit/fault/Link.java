package org.pgconcord.testkit.fault;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * One client's connection to one server.
 *
 * @param server the server's name in its network
 * @param user from the StartupMessage; empty for a cancel request
 * @param application {@code application_name} from there; empty when it was not set
 * @param number counts the links of one server, user and application from 1, in the order in which
 *     they started
 */
public record Link(String server, String user, String application, int number) {
  /** Offset of the first name in a StartupMessage: after its length and version. */
  private static final int NAMES = 8;

  /** What a StartupMessage says, names to values. */
  static Map<String, String> parameters(Message startup) {
    byte[] bytes = startup.bytes();
    String text = new String(bytes, NAMES, bytes.length - NAMES, StandardCharsets.UTF_8);
    String[] words = text.split("\0", -1);
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i + 1 < words.length && !words[i].isEmpty(); i += 2) {
      parameters.put(words[i], words[i + 1]);
    }
    return parameters;
  }

  @Override
  public String toString() {
    return server + "/" + user + "/" + application + "#" + number;
  }
}
