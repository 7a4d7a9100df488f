package org.pgconcord.gsi;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.value.Tuple;

/**
 * A statement with its parameters as text. The text numbers them {@code $1, $2 ...} as the wire
 * protocol does; their types are left to the server, which takes them from the columns they meet.
 */
public record EntryStatement(String sql, List<String> parameters) {
  public EntryStatement {
    parameters = List.copyOf(parameters);
  }

  static EntryStatement of(String sql, String... parameters) {
    return new EntryStatement(sql, List.of(parameters));
  }

  static EntryStatement of(String sql, Tuple parameters) {
    return new EntryStatement(sql, parameters.values());
  }

  /** The same statement for JDBC: one {@code ?} per place, its value repeated where it recurs. */
  public EntryStatement forJdbc() {
    StringBuilder text = new StringBuilder();
    List<String> places = new ArrayList<>();
    boolean quoted = false;
    for (int at = 0; at < sql.length(); at++) {
      char c = sql.charAt(at);
      quoted ^= c == '"';
      if (c == '$' && !quoted) {
        int end = at + 1;
        while (end < sql.length() && Character.isDigit(sql.charAt(end))) {
          end++;
        }
        places.add(parameters.get(Integer.parseInt(sql.substring(at + 1, end)) - 1));
        text.append('?');
        at = end - 1;
      } else {
        text.append(c);
      }
    }
    return new EntryStatement(text.toString(), places);
  }
}
