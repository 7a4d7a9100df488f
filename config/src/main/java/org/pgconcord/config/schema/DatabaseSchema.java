package org.pgconcord.config.schema;

/**
 * What a database gives to columns of collation {@code default}.
 *
 * @param encoding {@code UTF8}
 * @param provider {@code pg_database.datlocprovider}: {@code c}, {@code i} or {@code b}
 * @param collate {@code datcollate}
 * @param locale the ICU or built-in locale, empty for libc
 */
public record DatabaseSchema(String encoding, String provider, String collate, String locale) {

  /** Whether the default collation sorts by bytes. */
  public boolean sortsByBytes() {
    return provider.equals("c")
        ? collate.equals("C") || collate.equals("POSIX")
        : provider.equals("b");
  }
}
