package org.pgconcord.backfill;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of every type that an indexed column may have: ends of ranges, and text that is odd. */
final class OddValues {
  private OddValues() {}

  static Map<String, List<String>> byType() {
    Map<String, List<String>> values = new HashMap<>();
    values.put("smallint", List.of("-32768", "-1", "0", "7", "32767"));
    values.put("integer", List.of("-2147483648", "-5", "0", "9", "10", "2147483647"));
    values.put("bigint", List.of("-9223372036854775808", "0", "9223372036854775807"));
    values.put(
        "text",
        List.of(
            "",
            " ",
            "a",
            "A",
            "B",
            "b",
            "\u00e9",
            "e\u0301",
            "z",
            "\u00df",
            "\ud83d\ude00",
            "\uffee",
            "x".repeat(2000),
            "tab\t",
            "quote'\"\\"));
    values.put("varchar(20)", List.of("", "a", "a ", "\u00c4", "Z"));
    values.put("character(5)", List.of("a", "ab", "b", "\u00e9", ""));
    values.put(
        "uuid",
        List.of(
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "7f000000-0000-0000-0000-000000000001",
            "80000000-0000-0000-0000-000000000001"));
    values.put("bytea", List.of("\\x", "\\x00", "\\x7f", "\\x80", "\\xff", "\\x8000"));
    values.put(
        "date", List.of("-infinity", "0044-03-15 BC", "1999-12-31", "2000-01-01", "infinity"));
    values.put("timestamp", List.of("1969-07-20 20:17:40.5", "2024-02-29 00:00:00", "infinity"));
    values.put("timestamptz", List.of("1969-07-20 20:17:40.5+00", "2024-02-29 00:00:00+00"));
    values.put(
        "numeric",
        List.of(
            "-1e300",
            "-10000.5",
            "-1.5",
            "-1.25",
            "0",
            "0.0001",
            "0.5",
            "1.0",
            "1.00001",
            "2",
            "9999",
            "10000",
            "10000.0000001",
            "1e300",
            "NaN",
            "Infinity",
            "-Infinity"));
    return values;
  }
}
