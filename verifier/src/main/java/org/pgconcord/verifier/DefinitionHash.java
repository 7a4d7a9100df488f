package org.pgconcord.verifier;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.gsi.LookupIndex;

/** A fingerprint of everything that decides which entries an index has and where they are. */
public final class DefinitionHash {
  private static final int HEX_DIGITS = 32;

  private DefinitionHash() {}

  /** 128 bits of SHA-256, in hexadecimal. */
  public static String of(LookupIndex index) {
    Gsi gsi = index.gsi();
    String definition =
        String.join(
            "\n",
            "1",
            gsi.name().toString(),
            gsi.lookup().quoted(),
            gsi.owner().quoted(),
            index.columns().stream().map(c -> column(c.column())).collect(Collectors.joining("\n")),
            gsi.ownerPrimaryKey().toString(),
            "unique " + gsi.unique() + ", ignore_null " + gsi.ignoreNull(),
            index.lookupDefinition(),
            index.ownerShards().toString());
    return HexFormat.of().formatHex(sha256(definition)).substring(0, HEX_DIGITS);
  }

  private static String column(Column column) {
    return String.join(
        " ",
        column.name(),
        column.type(),
        String.valueOf(column.collation()),
        "" + column.notNull());
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
