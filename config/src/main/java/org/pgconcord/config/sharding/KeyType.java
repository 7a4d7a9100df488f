package org.pgconcord.config.sharding;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The kinds of value that can be a shard key, each with one canonical form (docs/routing.md). Types
 * whose equality PostgreSQL itself mixes (the integer widths, text and varchar) share a kind.
 */
public enum KeyType {
  /** int2, int4 and int8 alike. */
  INT,
  /** text and varchar. */
  TEXT,
  /** char(n): trailing blanks do not count. */
  BPCHAR,
  UUID,
  BYTEA,
  FLOAT4,
  FLOAT8,
  NUMERIC,
  DATE,
  TIMESTAMP,
  TIMESTAMPTZ,
  /**
   * Any enum, by label. No oid is fixed for enums: the schema reader recognises them. No table is
   * sharded by one: {@code ALTER TYPE ... RENAME VALUE} would send stored rows elsewhere.
   */
  ENUM;

  private static final Map<Integer, KeyType> BY_OID =
      Map.ofEntries(
          Map.entry(21, INT),
          Map.entry(23, INT),
          Map.entry(20, INT),
          Map.entry(25, TEXT),
          Map.entry(1043, TEXT),
          Map.entry(1042, BPCHAR),
          Map.entry(2950, UUID),
          Map.entry(17, BYTEA),
          Map.entry(700, FLOAT4),
          Map.entry(701, FLOAT8),
          Map.entry(1700, NUMERIC),
          Map.entry(1082, DATE),
          Map.entry(1114, TIMESTAMP),
          Map.entry(1184, TIMESTAMPTZ));

  private static final Map<String, KeyType> BY_NAME =
      Map.ofEntries(
          Map.entry("smallint", INT),
          Map.entry("integer", INT),
          Map.entry("bigint", INT),
          Map.entry("text", TEXT),
          Map.entry("character varying", TEXT),
          Map.entry("character", BPCHAR),
          Map.entry("bpchar", BPCHAR),
          Map.entry("uuid", UUID),
          Map.entry("bytea", BYTEA),
          Map.entry("real", FLOAT4),
          Map.entry("double precision", FLOAT8),
          Map.entry("numeric", NUMERIC),
          Map.entry("date", DATE),
          Map.entry("timestamp without time zone", TIMESTAMP),
          Map.entry("timestamp with time zone", TIMESTAMPTZ));

  /** The kind of a built-in type; empty for one that cannot be a key. */
  public static Optional<KeyType> of(int typeOid) {
    return Optional.ofNullable(BY_OID.get(typeOid));
  }

  /** The kind of a type as {@code format_type} prints it, with or without its modifier. */
  public static Optional<KeyType> of(String formattedType) {
    String bare = formattedType.toLowerCase(Locale.ROOT).replaceFirst("\\([0-9, -]*\\)", "");
    return Optional.ofNullable(BY_NAME.get(bare.trim()));
  }

  /** Whether the word NULL could be one of its values. */
  public boolean isText() {
    return this == TEXT || this == BPCHAR || this == ENUM;
  }

  /** Whether a column of this type can be a shard key: what its values are never changes. */
  public boolean routes() {
    return this != ENUM;
  }

  /** Whether a column of this type can be the indexed column or the stored shard key of a GSI. */
  public boolean indexable() {
    return this != FLOAT4 && this != FLOAT8 && this != ENUM;
  }

  /**
   * Whether rows with equal keys of the two types are on one shard: then, and only then, may a join
   * on both shard keys be sent down whole. Two enums are told apart by the caller, who knows their
   * names.
   */
  public boolean colocatesWith(KeyType other) {
    return family() == other.family();
  }

  /**
   * text and char(n) are no family: {@code varchar = char(n)} ignores trailing blanks, so a varchar
   * with them equals a char(n) that is encoded without.
   */
  private KeyType family() {
    return this == FLOAT4 ? FLOAT8 : this;
  }
}
