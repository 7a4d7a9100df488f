package org.pgconcord.router.sql;

import java.util.List;

/**
 * A column as the statement names it, folded.
 *
 * @param qualifier schema and table, or table or alias alone, or nothing
 * @param token index of its first token
 */
public record ColumnView(List<String> qualifier, String name, int token) {
  public ColumnView {
    qualifier = List.copyOf(qualifier);
  }
}
