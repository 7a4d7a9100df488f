package org.pgconcord.config.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each line: the column, the constant as a statement writes it, and the key it routes by. A dash
 * means that the statement must not be routed by it.
 */
class KeyConversionTest {

  @ParameterizedTest(name = "{0} = {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          bigint           | 5                           | 5
          bigint           | -5                          | -5
          bigint           | 5.0                         | 5
          bigint           | 5e2                         | 500
          bigint           | 5.5                         | -
          bigint           | '5'                         | 5
          bigint           | ' +5 '                      | 5
          bigint           | '0x10'                      | -
          bigint           | 99999999999999999999        | -
          bigint           | '5'::double precision       | 5
          bigint           | '9007199254740992'::real    | -
          bigint           | 5::numeric                  | 5
          bigint           | '5'::text                   | -
          bigint           | 5.4::bigint                 | -
          integer          | 3000000000                  | 3000000000
          text             | 'a'                         | a
          text             | 'a '                        | "a "
          text             | 'a '::bpchar                | -
          text             | 'a'::character              | -
          text             | 'abc'::character varying(2) | -
          text             | 5                           | -
          text             | 007::text                   | -
          character(2)     | 'a '                        | a
          uuid             | '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}' | a0eebc999c0b4ef8bb6d6bb9bd380a11
          uuid             | 'nonsense'                  | -
          bytea            | '\\xDEAD'                   | \\xdead
          numeric          | 1.00                        | 1
          numeric          | 1                           | 1
          numeric          | '1e2'                       | 100
          numeric          | '1.5'::double precision     | -
          double precision | 0.5                         | 5e-1
          double precision | 1e400                       | -
          double precision | '1.1'::real                 | 1.100000023841858
          real             | 0.5                         | 0.5
          date             | '2026-11-29'                | 2026-11-29
          date             | '29/11/2026'                | -
          date             | 'today'                     | -
          date             | '2026-11-29 00:00:00'::timestamp without time zone | 2026-11-29
          date             | '2026-11-29 01:00:00'::timestamp without time zone | -
          timestamp without time zone | '2026-11-29'::date | 2026-11-29 00:00:00
          timestamp without time zone | '2026-11-29 10:00+01' | -
          timestamp with time zone | '2026-11-29 10:00+01' | 2026-11-29 09:00:00+00
          timestamp with time zone | '2026-11-29 10:00'  | -
          timestamp with time zone | '2026-11-29'::date  | -
          """)
  void compared(String column, String constant, String key) {
    KeyType type = KeyType.of(column).orElseThrow();
    assertThat(
            Written.constant(constant)
                .flatMap(c -> KeyConversion.compared(type, c))
                .map(t -> Written.key(type, t)))
        .isEqualTo(Written.expected(type, key));
  }

  @ParameterizedTest(name = "{1} stored in {0} -> {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          bigint               | 5.5                    | 6
          bigint               | -5.5                   | -6
          bigint               | 5.4                    | 5
          bigint               | '4.5'::double precision | 4
          bigint               | '5.5'                  | -
          text                 | 007                    | 7
          text                 | 1.50                   | -
          character varying(3) | 'abc  '                | abc
          character varying(3) | 'abcd'                 | -
          character varying(3) | '😀😀😀 '              | 😀😀😀
          character(2)         | 'DE'                   | DE
          numeric(5,1)         | 1.25                   | 1.3
          numeric(5,1)         | -1.25                  | -1.3
          numeric(5)           | 1.5                    | 2
          numeric(5,-2)        | 1250                   | 1300
          numeric(5,1)         | 'NaN'                  | NaN
          real                 | 0.1                    | 0.1
          date                 | '2026-11-29 23:59:59'::timestamp without time zone | 2026-11-29
          timestamp(3) without time zone | '2026-11-29 10:00:00.1230' | 2026-11-29 10:00:00.123
          timestamp(3) without time zone | '2026-11-29 10:00:00.1234' | -
          """)
  void stored(String column, String constant, String key) {
    KeyType type = KeyType.of(column).orElseThrow();
    assertThat(
            Written.constant(constant)
                .flatMap(c -> KeyConversion.stored(type, column, c))
                .map(t -> Written.key(type, t)))
        .isEqualTo(Written.expected(type, key));
  }
}
