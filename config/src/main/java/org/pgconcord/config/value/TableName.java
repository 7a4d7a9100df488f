package org.pgconcord.config.value;

/** A table's schema and name as PostgreSQL stores them (already folded, never quoted). */
public record TableName(String schema, String name) implements Comparable<TableName> {
  public TableName {
    if (schema.isEmpty() || name.isEmpty()) {
      throw new IllegalArgumentException("a table needs a schema and a name");
    }
  }

  /** The name in a form that can be spliced into SQL: {@code "public"."users"}. */
  public String quoted() {
    return Identifiers.quote(schema) + "." + Identifiers.quote(name);
  }

  @Override
  public int compareTo(TableName other) {
    int bySchema = schema.compareTo(other.schema);
    return bySchema != 0 ? bySchema : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return schema + "." + name;
  }
}
