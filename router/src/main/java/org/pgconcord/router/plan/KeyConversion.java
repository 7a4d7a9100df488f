package org.pgconcord.router.plan;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.Constant;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.router.analyse.KeyColumn;

/**
 * What a constant becomes beside a key column: by its operator's types in a comparison, by
 * assignment where it is stored. {@link org.pgconcord.config.sharding.KeyConversion} knows how;
 * what it is not certain of is not convertible.
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
    Constant constant = source == null ? Constant.quoted(text) : Constant.of(source, text);
    Optional<String> key =
        switch (use) {
          case COMPARED ->
              org.pgconcord.config.sharding.KeyConversion.compared(column.type(), constant);
          case STORED ->
              org.pgconcord.config.sharding.KeyConversion.stored(
                  column.type(), column.column().base().type(), constant);
        };
    return key.<KeyValue>map(KeyValue.Text::new)
        .orElseGet(
            () ->
                new KeyValue.NotConvertible(
                    "what this constant is as %s is not certain here"
                        .formatted(column.column().type())));
  }
}
