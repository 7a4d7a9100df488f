package org.pgconcord.router.session;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.error.ErrorCode;

/**
 * What a client's startup packet asks for. The settings go to every client backend as they are:
 * PostgreSQL itself knows which names and values are good.
 *
 * @param settings in the order given; {@code options} among them
 * @param protocolOptions names that begin with {@code _pq_.}; none is known here
 */
record StartupParameters(
    String user, String database, Map<String, String> settings, List<String> protocolOptions) {
  private static final Set<String> FALSE = Set.of("false", "off", "no", "0", "");

  static StartupParameters read(Map<String, String> packet) {
    String user = packet.getOrDefault("user", "");
    if (user.isEmpty()) {
      throw ErrorCode.LOGIN_REFUSED.because(
          "No PostgreSQL user name is specified in the startup packet.");
    }
    if (!FALSE.contains(packet.getOrDefault("replication", "").toLowerCase(Locale.ROOT))) {
      throw ErrorCode.REPLICATION_REFUSED.because("Replication connections are refused.");
    }
    String database = packet.getOrDefault("database", "");
    return new StartupParameters(
        user,
        database.isEmpty() ? user : database,
        settings(packet),
        packet.keySet().stream().filter(n -> n.startsWith("_pq_.")).toList());
  }

  private static Map<String, String> settings(Map<String, String> packet) {
    Map<String, String> settings = new LinkedHashMap<>();
    packet.forEach(
        (name, value) -> {
          boolean ours = Set.of("user", "database", "replication").contains(name);
          if (!ours && !name.startsWith("_pq_.") && !asciiEncoding(name, value)) {
            check(name, value);
            settings.put(name, value);
          }
        });
    return settings;
  }

  private static void check(String name, String value) {
    SettingRules.refuse(name, value)
        .ifPresent(
            refused -> {
              throw refused;
            });
    if (name.equalsIgnoreCase("options")) {
      StartupOptions.read(value).forEach(option -> check(option.name(), option.value()));
    }
  }

  /**
   * The settings for client backends: the client's own, and before them the router's with their
   * defaults, so that servers show and reset them as their own.
   */
  Map<String, String> forBackends() {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.merge(
        "options",
        "-c %s=%s -c %s=refuse -c %s=%s -c %s="
            .formatted(
                CommitMode.SETTING,
                CommitMode.MULTI.word(),
                SettingRules.STALE_COPIES,
                FanOut.SETTING,
                FanOut.SCATTER.word(),
                SettingRules.SHARD),
        (given, ours) -> ours + " " + given);
    return all;
  }

  /** psql asks for SQL_ASCII under the C locale; it is told UTF8 and content with it. */
  private static boolean asciiEncoding(String name, String value) {
    return name.equalsIgnoreCase("client_encoding")
        && SettingRules.letters(value).equals("sqlascii");
  }
}
