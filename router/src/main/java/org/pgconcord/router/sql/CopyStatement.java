package org.pgconcord.router.sql;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A COPY command.
 *
 * @param table the parts of its name, folded; empty for a query
 * @param tableEnd the token behind the table's name, where a column list can be put
 * @param columns the column list, folded; empty without one
 * @param into true for FROM
 * @param other where the data is, when it is not with the client
 * @param query the query in parentheses
 * @param options by name, folded; the old notation's words under the names of the new one
 * @param where a condition on the rows
 */
public record CopyStatement(
    List<String> table,
    int tableEnd,
    List<String> columns,
    boolean into,
    Other other,
    Optional<Clauses.Range> query,
    Map<String, Option> options,
    Optional<Clauses.Range> where) {
  public CopyStatement {
    table = List.copyOf(table);
    columns = List.copyOf(columns);
    options = Map.copyOf(options);
  }

  /** Where the data is. */
  public enum Other {
    /** STDIN or STDOUT. */
    NONE,
    FILE,
    PROGRAM
  }

  /**
   * An option's value.
   *
   * @param text a word or a string; {@code *} for a star; empty without a value
   * @param columns a list of names
   */
  public record Option(String text, List<String> columns) {
    public Option {
      columns = List.copyOf(columns);
    }

    static final Option BARE = new Option("", List.of());
  }

  /** A string without its quotes, or the option's absence. */
  public Optional<String> text(String option) {
    return Optional.ofNullable(options.get(option)).map(Option::text);
  }
}
