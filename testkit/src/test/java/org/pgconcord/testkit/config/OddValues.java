package org.pgconcord.testkit.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values that are equal though they look different, and some that only look equal. */
final class OddValues {
  /** A column's type and values of it, in whatever spelling the type's input takes. */
  static final Map<String, List<String>> VALUES = new LinkedHashMap<>();

  static {
    List<String> integers = List.of("0", "-0", "+1", "1", "01", "-1", "32767", "-32768");
    VALUES.put("smallint", integers);
    VALUES.put("integer", with(integers, "2147483647", "-2147483648"));
    VALUES.put("bigint", with(integers, "9223372036854775807", "9007199254740993"));
    VALUES.put("text", List.of("", "a", "a ", "A", "é", "e\u0301", "1", "1.0", "ß", "ss"));
    VALUES.put("character varying(20)", List.of("", "a", "a ", "A", "é", "e\u0301", "1", "ss"));
    VALUES.put("character(3)", List.of("", "a", "a  ", "A", " a", "1", "ss", "é"));
    VALUES.put(
        "uuid",
        List.of(
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}",
            "a0eebc999c0b4ef8bb6d6bb9bd380a11",
            "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
            "00000000-0000-0000-0000-000000000000"));
    VALUES.put("bytea", List.of("", "\\x", "\\x61", "a", "\\141", "\\\\", "\\x5C", "\\x00"));
    List<String> floats = List.of("0", "-0", "1", "1.0", "1e0", "0.1", "NaN", "nan", "Infinity");
    VALUES.put("real", with(floats, "-inf", "16777217", "16777216", "1e-45"));
    VALUES.put(
        "double precision", with(floats, "-Infinity", "16777217", "9007199254740993", "5e-324"));
    VALUES.put(
        "numeric",
        List.of(
            "0",
            "-0",
            "0.00",
            "1",
            "1.0",
            "1.00",
            "1e0",
            "1e2",
            "100",
            "0.1",
            "NaN",
            "Infinity",
            "-Infinity",
            "-1.10",
            "-1.1",
            "9007199254740993"));
    VALUES.put("numeric(6,2)", List.of("0", "1", "1.0", "1.005", "1.01", "NaN", "100"));
    VALUES.put(
        "date",
        List.of(
            "2000-01-01",
            "20000101",
            "January 1, 2000",
            "infinity",
            "-infinity",
            "0044-03-15 BC",
            "1999-12-31"));
    List<String> moments =
        List.of(
            "2000-01-01",
            "2000-01-01 00:00:00",
            "2000-01-01 00:00:00.000",
            "infinity",
            "-infinity",
            "1999-12-31 24:00:00",
            "0044-03-15 12:00:00 BC",
            "2000-01-01 00:00:00.000001");
    VALUES.put("timestamp without time zone", moments);
    VALUES.put("timestamp(3) without time zone", moments);
    VALUES.put(
        "timestamp with time zone",
        with(
            moments,
            "2000-01-01 01:00+01",
            "2000-01-01 05:30:00+05:30",
            "1999-12-31 16:00 PST",
            "2000-01-01T00:00:00Z"));
    VALUES.put("mood", List.of("sad", "ok", "Ok"));
    VALUES.put("code", List.of("1", "01", "2"));
  }

  /** Constants as statements write them, compared with every column that has such an operator. */
  static final List<String> CONSTANTS =
      List.of(
          "0",
          "-0",
          "1",
          "01",
          "1.0",
          "1.00",
          "1e0",
          "0.1",
          "16777217",
          "16777217.0",
          "9007199254740993",
          "9007199254740993.0",
          "100",
          "99999999999999999999",
          "'1'",
          "' 1 '",
          "'a'",
          "'a '",
          "'a  '",
          "''",
          "'NaN'",
          "'-0'",
          "'infinity'",
          "'2000-01-01'",
          "'2000-01-01 00:00:00'",
          "'2000-01-01 00:00:00+00'",
          "'2000-01-01 01:00:00+01'",
          "'20000101'",
          "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
          "'\\x61'",
          "'sad'",
          "'1'::smallint",
          "'1'::bigint",
          "'1.0'::numeric",
          "'0.1'::numeric",
          "'0.1'::real",
          "'0.1'::double precision",
          "'1'::real",
          "'-0'::double precision",
          "'a'::text",
          "'a '::text",
          "'a '::bpchar",
          "'a '::character varying",
          "'2000-01-01'::date",
          "'2000-01-01 00:00:00'::timestamp without time zone",
          "'2000-01-01 00:00:00+00'::timestamp with time zone",
          "'NaN'::real",
          "'9007199254740993'::double precision",
          "'16777217'::real");

  private OddValues() {}

  private static List<String> with(List<String> values, String... more) {
    List<String> all = new ArrayList<>(values);
    all.addAll(Arrays.asList(more));
    return all;
  }
}
