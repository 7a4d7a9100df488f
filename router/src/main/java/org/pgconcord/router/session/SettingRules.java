package org.pgconcord.router.session;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.json.DidYouMean;

/**
 * The few settings that the router cannot leave to the servers: what decides how text is read, and
 * its own namespace, where a misspelt name must not become a silent custom parameter.
 */
final class SettingRules {
  private static final String OWN = "pgconcord.";
  static final String STALE_COPIES = OWN + "stale_copies";
  static final String STALE_ALLOW = "allow";
  private static final List<String> STALE_COPIES_VALUES = List.of("refuse", STALE_ALLOW);
  static final String COVERING = OWN + "covering";
  private static final List<String> COVERING_VALUES = List.of("on", "off");
  static final String FUNCTIONS = OWN + "functions";
  static final String FUNCTIONS_LOCAL = "local";
  private static final List<String> FUNCTIONS_VALUES = List.of("checked", FUNCTIONS_LOCAL);
  static final String SHARD = OWN + "shard";
  private static final List<String> NAMES =
      List.of(
          CommitMode.SETTING,
          STALE_COPIES,
          COVERING,
          FUNCTIONS,
          FanOut.SETTING,
          SHARD,
          ReadTarget.SETTING,
          ReplicaLag.SETTING);
  private static final Set<String> UTF8 = Set.of("utf8", "unicode");
  private static final Set<String> TRUE = Set.of("on", "true", "yes", "1", "t", "y", "tru", "tr");

  private SettingRules() {}

  /** Why {@code name} cannot be set to {@code value}, if so. */
  static Optional<ConcordException> refuse(String name, String value) {
    String key = name.toLowerCase(Locale.ROOT);
    Optional<ConcordException> unknown = unknown(key);
    if (unknown.isPresent()) {
      return unknown;
    }
    return switch (key) {
      case CommitMode.SETTING ->
          CommitMode.of(value).isPresent()
              ? Optional.empty()
              : noValue(CommitMode.SETTING, CommitMode.words(), value);
      case FanOut.SETTING ->
          FanOut.of(value).isPresent()
              ? Optional.empty()
              : noValue(FanOut.SETTING, FanOut.words(), value);
      case ReadTarget.SETTING ->
          ReadTarget.of(value).isPresent()
              ? Optional.empty()
              : noValue(ReadTarget.SETTING, ReadTarget.words(), value);
      case ReplicaLag.SETTING ->
          ReplicaLag.of(value).isPresent()
              ? Optional.empty()
              : Optional.of(
                  ErrorCode.SETTING_VALUE.because(
                      "\"%s\" is no value of %s, which is a time from 1s to 15min"
                          .formatted(value, ReplicaLag.SETTING)));
      case STALE_COPIES -> oneOf(STALE_COPIES, STALE_COPIES_VALUES, value);
      case FUNCTIONS -> oneOf(FUNCTIONS, FUNCTIONS_VALUES, value);
      case COVERING -> oneOf(COVERING, COVERING_VALUES, value);
      case "client_encoding" ->
          utf8(value)
              ? Optional.empty()
              : Optional.of(
                  ErrorCode.ENCODING_REFUSED.because(
                      "client_encoding cannot be " + value + ": the router speaks UTF8 only."));
      case "standard_conforming_strings" ->
          TRUE.contains(value.toLowerCase(Locale.ROOT))
              ? Optional.empty()
              : Optional.of(
                  ErrorCode.ENCODING_REFUSED.because("standard_conforming_strings must stay on."));
      default -> Optional.empty();
    };
  }

  /** The fault when the name is in the router's namespace and none of its settings. */
  static Optional<ConcordException> unknown(String name) {
    String key = name.toLowerCase(Locale.ROOT);
    return key.startsWith(OWN) && !NAMES.contains(key)
        ? Optional.of(
            ErrorCode.SETTING_UNKNOWN.because(
                "the router has no setting \"" + key + "\"" + DidYouMean.hint(key, NAMES)))
        : Optional.empty();
  }

  private static Optional<ConcordException> noValue(
      String setting, List<String> words, String value) {
    return Optional.of(
        ErrorCode.SETTING_VALUE.because(
            "\"%s\" is no value of %s, which is one of %s%s"
                .formatted(
                    value, setting, String.join(", ", words), DidYouMean.hint(value, words))));
  }

  private static Optional<ConcordException> oneOf(String name, List<String> words, String value) {
    return words.contains(value)
        ? Optional.empty()
        : Optional.of(
            ErrorCode.SETTING_VALUE.because(
                "invalid value for %s: \"%s\"; it is one of %s"
                    .formatted(name, value, String.join(", ", words))));
  }

  /** PostgreSQL compares encodings by letters and digits alone. */
  static boolean utf8(String encoding) {
    return UTF8.contains(letters(encoding));
  }

  static String letters(String encoding) {
    return encoding.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }
}
