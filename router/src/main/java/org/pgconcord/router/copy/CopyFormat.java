package org.pgconcord.router.copy;

import java.util.Optional;
import java.util.Set;

/**
 * How the data of a COPY is written.
 *
 * @param nullText what stands for NULL, as it is written
 * @param defaultText what stands for a column's default, if anything does
 * @param header the first line names the columns
 * @param forceNotNull columns in which {@code nullText} is no NULL (CSV)
 * @param forceNull columns in which even a quoted {@code nullText} is NULL (CSV)
 * @param dotEnds a line of {@code \.} alone ends the data in CSV too, as before version 18
 */
public record CopyFormat(
    Kind kind,
    char delimiter,
    String nullText,
    Optional<String> defaultText,
    boolean header,
    char quote,
    char escape,
    Columns forceNotNull,
    Columns forceNull,
    boolean dotEnds) {

  /** The three formats. */
  public enum Kind {
    TEXT,
    CSV,
    BINARY
  }

  /** Some columns, or all. */
  public record Columns(Set<String> names, boolean all) {
    public static final Columns NONE = new Columns(Set.of(), false);
    public static final Columns ALL = new Columns(Set.of(), true);

    public Columns {
      names = Set.copyOf(names);
    }

    boolean contains(String column) {
      return all || names.contains(column);
    }
  }

  /** The same for servers of another version. */
  public CopyFormat withDotEnds(boolean ends) {
    return new CopyFormat(
        kind,
        delimiter,
        nullText,
        defaultText,
        header,
        quote,
        escape,
        forceNotNull,
        forceNull,
        ends);
  }

  public boolean binary() {
    return kind == Kind.BINARY;
  }
}
