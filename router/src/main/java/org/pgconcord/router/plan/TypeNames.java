package org.pgconcord.router.plan;

import java.util.Map;

/** Type names as people write them, with the name and oid that PostgreSQL gives them. */
final class TypeNames {
  private static final Map<String, Type> TYPES =
      Map.ofEntries(
          entry("smallint", 21, "smallint", "int2"),
          entry("integer", 23, "integer", "int", "int4"),
          entry("bigint", 20, "bigint", "int8"),
          entry("text", 25, "text"),
          entry("character varying", 1043, "character varying", "varchar"),
          entry("character", 1042, "character", "char", "bpchar"),
          entry("uuid", 2950, "uuid"),
          entry("bytea", 17, "bytea"),
          entry("real", 700, "real", "float4"),
          entry("double precision", 701, "double precision", "float8"),
          entry("numeric", 1700, "numeric", "decimal"),
          entry("boolean", 16, "boolean", "bool"),
          entry("date", 1082, "date"),
          entry("timestamp without time zone", 1114, "timestamp", "timestamp without time zone"),
          entry("timestamp with time zone", 1184, "timestamptz", "timestamp with time zone"),
          entry("jsonb", 3802, "jsonb"),
          entry("json", 114, "json"));

  private TypeNames() {}

  /** A type; the oid is 0 for one that is not known here. */
  record Type(String name, int oid, boolean serial) {
    boolean collatable() {
      return oid == 25 || oid == 1043 || oid == 1042;
    }
  }

  private static Map.Entry<String, Type> entry(String name, int oid, String... spellings) {
    return Map.entry(String.join("|", spellings), new Type(name, oid, false));
  }

  static Type of(String written) {
    switch (written) {
      case "serial", "serial4" -> {
        return new Type("integer", 23, true);
      }
      case "bigserial", "serial8" -> {
        return new Type("bigint", 20, true);
      }
      default -> {}
    }
    int open = written.indexOf('(');
    int close = written.indexOf(')');
    String bare =
        open < 0 || close < open
            ? written
            : (written.substring(0, open) + written.substring(close + 1)).trim();
    String modifier = open < 0 || close < open ? "" : written.substring(open, close + 1);
    String name = bare.startsWith("pg_catalog.") ? bare.substring(11) : bare;
    for (Map.Entry<String, Type> entry : TYPES.entrySet()) {
      for (String spelling : entry.getKey().split("\\|")) {
        if (spelling.equals(name)) {
          return modified(entry.getValue(), modifier, name);
        }
      }
    }
    return new Type(written, 0, false);
  }

  /** {@code char} alone is one character wide; the modifier of a timestamp stands inside. */
  private static Type modified(Type type, String modifier, String spelling) {
    String width =
        modifier.isEmpty() && (spelling.equals("char") || spelling.equals("character"))
            ? "(1)"
            : modifier;
    int blank = type.name().indexOf(' ');
    boolean inside = type.name().startsWith("timestamp") && !width.isEmpty();
    String name =
        inside
            ? type.name().substring(0, blank) + width + type.name().substring(blank)
            : type.name() + width;
    return new Type(name, type.oid(), false);
  }
}
