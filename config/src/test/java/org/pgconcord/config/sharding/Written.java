package org.pgconcord.config.sharding;

import java.util.HexFormat;
import java.util.Optional;

/** Constants as a statement writes them, {@code '5'::numeric}, and keys as bytes. */
final class Written {
  private Written() {}

  static Optional<Constant> constant(String sql) {
    int cast = sql.indexOf("::");
    String literal = cast < 0 ? sql : sql.substring(0, cast);
    Constant constant =
        literal.startsWith("'")
            ? Constant.quoted(literal.substring(1, literal.length() - 1))
            : Constant.number(literal);
    return cast < 0 ? Optional.of(constant) : constant.castTo(sql.substring(cast + 2));
  }

  static String key(KeyType type, String text) {
    return HexFormat.of().formatHex(ShardKeyEncoder.encode(type, text));
  }

  static Optional<String> expected(KeyType type, String key) {
    return key.equals("-") ? Optional.empty() : Optional.of(key(type, key));
  }
}
