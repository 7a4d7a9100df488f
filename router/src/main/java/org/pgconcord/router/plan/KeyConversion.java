package org.pgconcord.router.plan;

import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardKeyEncoder;
import org.pgconcord.router.analyse.KeyColumn;

/**
 * What a constant becomes beside a key column. A comparison converts by its operator's types, so
 * that {@code bigint = 5.0} compares numerics and {@code bigint = 5.0::float8} floats, where
 * several keys equal one constant; storing converts by assignment, which rounds numbers and cuts
 * blanks. Only conversions are made here whose result is certain; everything else is not
 * convertible.
 */
final class KeyConversion {
  private KeyConversion() {}

  /**
   * Converts a text.
   *
   * @param source the constant's type; null for a literal or parameter whose type the server takes
   *     from the column
   */
  static KeyValue convert(String text, @Nullable KeyType source, KeyColumn column, KeyUse use) {
    String converted = converted(text, source, column.type());
    if (converted == null) {
      return new KeyValue.NotConvertible(
          "a constant of another type than column \"%s\" (%s)"
              .formatted(column.name(), column.column().type()));
    }
    if (use == KeyUse.STORED && changesWhenStored(converted, column)) {
      return new KeyValue.NotConvertible(
          "the value may be cut or rounded when stored as " + column.column().type());
    }
    try {
      ShardKeyEncoder.encode(column.type(), converted);
      return new KeyValue.Text(converted);
    } catch (ConcordException e) {
      return new KeyValue.NotConvertible(
          "not a value of type %s, or one that settings decide about"
              .formatted(column.column().type()));
    }
  }

  private static @Nullable String converted(String text, @Nullable KeyType source, KeyType target) {
    if (source == null || source == target) {
      return text;
    }
    return switch (target) {
      case INT -> source == KeyType.NUMERIC ? NumberText.integral(text) : null;
      case NUMERIC, FLOAT8 -> source == KeyType.INT || source == KeyType.NUMERIC ? text : null;
      case TEXT -> source == KeyType.BPCHAR ? text.replaceFirst(" +$", "") : null;
      case BPCHAR -> source == KeyType.TEXT ? text : null;
      default -> null;
    };
  }

  /** A modifier can cut a text's blanks and round fractions. */
  private static boolean changesWhenStored(String text, KeyColumn column) {
    int open = column.column().type().indexOf('(');
    if (open < 0) {
      return false;
    }
    String modifier = column.column().type().substring(open + 1);
    int first = leadingNumber(modifier);
    return switch (column.type()) {
      case TEXT -> text.codePointCount(0, text.length()) > first;
      case NUMERIC, TIMESTAMP, TIMESTAMPTZ -> text.indexOf('.') >= 0 || text.indexOf('e') >= 0;
      default -> false;
    };
  }

  private static int leadingNumber(String modifier) {
    int end = 0;
    while (end < modifier.length() && Character.isDigit(modifier.charAt(end))) {
      end++;
    }
    return end == 0 ? 0 : Integer.parseInt(modifier.substring(0, end));
  }
}
