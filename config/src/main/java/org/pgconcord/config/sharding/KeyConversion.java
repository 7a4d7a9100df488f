package org.pgconcord.config.sharding;

import java.util.Optional;
import org.pgconcord.config.error.ConcordException;

/**
 * Brings a constant to the type of a key column as PostgreSQL would, so that it can be routed. Only
 * what is certain without a session's settings and without the catalog is converted; for the rest
 * the answer is empty, and the statement must not be routed by the constant.
 *
 * <p>Why the comparison's answer may be wrong where no row can match: {@code int_key = 5.5} is true
 * of no row, so any shard gives the right answer, and so does a value that the column's type cannot
 * hold. What must never happen is that an equal value routes elsewhere.
 */
public final class KeyConversion {
  private KeyConversion() {}

  /**
   * For {@code column = constant}: a text of the column's type that each row for which the
   * comparison holds has in its key; empty when there is no one such text or it is not known.
   */
  public static Optional<String> compared(KeyType column, Constant constant) {
    return checked(column, ComparedKey.convert(column, constant));
  }

  /**
   * For an INSERT: the text of the value that the server will store; empty when that is not certain
   * or when the server will refuse it.
   *
   * @param formattedType the column's type with its modifier, as {@code format_type} prints it
   */
  public static Optional<String> stored(KeyType column, String formattedType, Constant constant) {
    return checked(
        column,
        StoredKey.convert(column, constant)
            .flatMap(text -> TypeModifier.of(formattedType).apply(column, text)));
  }

  /** Nothing leaves here that the encoder could not take. */
  private static Optional<String> checked(KeyType column, Optional<String> text) {
    return text.filter(t -> encodes(column, t));
  }

  static boolean encodes(KeyType type, String text) {
    try {
      ShardKeyEncoder.encode(type, text);
      return true;
    } catch (ConcordException e) {
      return false;
    }
  }
}
