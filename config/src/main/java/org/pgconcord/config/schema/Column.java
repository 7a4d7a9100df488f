package org.pgconcord.config.schema;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.KeyType;

/**
 * One column of a table on a shard.
 *
 * @param position {@code attnum}, from 1
 * @param typeOid {@code atttypid}; for a domain the domain's own oid
 * @param type the type as {@code format_type} prints it, with its modifier: {@code bigint}, {@code
 *     character(2)}
 * @param collation {@code pg_collation.collname} where the column has one, with its schema unless
 *     that is {@code pg_catalog}; null for a type without collation
 * @param deterministic false only for a nondeterministic collation
 * @param hasDefault true for a default, an identity or a generated expression
 * @param generated true for a stored or virtual generated column
 * @param keyType how its values route, that of the base type for a domain; empty when the type
 *     cannot be a key
 * @param numbering the sequence that the default takes a value from
 * @param base what its values are; another type than the column's for a domain
 */
public record Column(
    String name,
    int position,
    int typeOid,
    String type,
    @Nullable String collation,
    boolean deterministic,
    boolean notNull,
    boolean hasDefault,
    boolean generated,
    Optional<KeyType> keyType,
    Optional<Numbering> numbering,
    Base base) {

  /**
   * A type that is no domain.
   *
   * @param type with its modifier, as {@code format_type} prints it
   */
  public record Base(int oid, String type) {}

  /** A column without a sequence, of a type that is no domain. */
  public Column(
      String name,
      int position,
      int typeOid,
      String type,
      @Nullable String collation,
      boolean deterministic,
      boolean notNull,
      boolean hasDefault,
      boolean generated,
      Optional<KeyType> keyType) {
    this(
        name,
        position,
        typeOid,
        type,
        collation,
        deterministic,
        notNull,
        hasDefault,
        generated,
        keyType,
        Optional.empty(),
        new Base(typeOid, type));
  }

  /** The same with another sequence, or none. */
  public Column withNumbering(Optional<Numbering> sequence) {
    return new Column(
        name,
        position,
        typeOid,
        type,
        collation,
        deterministic,
        notNull,
        hasDefault,
        generated,
        keyType,
        sequence,
        base);
  }

  /** Whether {@code lower} and {@code upper} change its ASCII letters and nothing else. */
  public boolean asciiCase() {
    return "C".equals(collation) || "POSIX".equals(collation);
  }

  /** A column of a built-in type. */
  public Column(
      String name,
      int position,
      int typeOid,
      String type,
      @Nullable String collation,
      boolean deterministic,
      boolean notNull,
      boolean hasDefault,
      boolean generated) {
    this(
        name,
        position,
        typeOid,
        type,
        collation,
        deterministic,
        notNull,
        hasDefault,
        generated,
        KeyType.of(typeOid));
  }
}
