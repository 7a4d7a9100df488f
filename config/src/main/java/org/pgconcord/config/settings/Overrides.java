package org.pgconcord.config.settings;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Settings from outside the file. The key {@code router.listen} is the flag of that name and the
 * environment's {@code PGCONCORD_ROUTER_LISTEN}; the flag wins.
 */
public record Overrides(Map<String, String> flags, Map<String, String> environment) {
  public Overrides {
    flags = Map.copyOf(flags);
    environment = Map.copyOf(environment);
  }

  public static Overrides none() {
    return new Overrides(Map.of(), Map.of());
  }

  Optional<String> find(String key) {
    String flag = flags.get(key);
    return Optional.ofNullable(flag != null ? flag : environment.get(variable(key)));
  }

  /** Where a value came from, for messages. */
  String origin(String key) {
    if (flags.containsKey(key)) {
      return "flag " + key;
    }
    return environment.containsKey(variable(key)) ? variable(key) : "$." + key;
  }

  static String variable(String key) {
    return "PGCONCORD_" + key.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  /** Without values: an environment may hold secrets. */
  @Override
  public String toString() {
    return "Overrides" + flags.keySet();
  }
}
