package org.pgconcord.verifier.sum;

import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.gsi.LookupIndex;

/**
 * The base types of an index's two columns as SQL takes them, and how keys are ordered for ranges:
 * text by its bytes, whatever the column's collation, since ranges have to mean the same on all
 * servers.
 *
 * @param collation a COLLATE clause, or nothing
 */
public record EntryTypes(String key, String shardKey, String collation) {
  public static EntryTypes of(LookupIndex index) {
    String key = name(index.keyColumn().typeOid());
    boolean text = key.equals("text") || key.equals("bpchar");
    return new EntryTypes(
        key, name(index.shardKeyColumn().typeOid()), text ? " COLLATE \"C\"" : "");
  }

  private static String name(int typeOid) {
    return switch (typeOid) {
      case 21 -> "smallint";
      case 23 -> "integer";
      case 20 -> "bigint";
      case 25, 1043 -> "text";
      case 1042 -> "bpchar";
      case 2950 -> "uuid";
      case 17 -> "bytea";
      case 1082 -> "date";
      case 1114 -> "timestamp";
      case 1184 -> "timestamptz";
      case 1700 -> "numeric";
      default ->
          throw ErrorCode.VERIFY_FAILED.because("type oid " + typeOid + " cannot be verified");
    };
  }

  /** A text parameter as an array of keys. */
  String keyArray() {
    return "CAST(CAST(? AS text[]) AS " + key + "[])";
  }

  /** The number of a key's part between the cuts of a text parameter. */
  String part() {
    return "width_bucket(k" + collation + ", " + keyArray() + ")";
  }

  String shardKeyArray() {
    return "CAST(CAST(? AS text[]) AS " + shardKey + "[])";
  }
}
