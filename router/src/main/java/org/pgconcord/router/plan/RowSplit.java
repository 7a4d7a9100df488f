package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * The rows of an INSERT ... VALUES, each with the shard key it stores and its place in the text, so
 * that each shard can be sent its own rows.
 */
public record RowSplit(List<Row> rows, int first, int last) {
  /**
   * One row.
   *
   * @param from its opening parenthesis
   * @param to its closing parenthesis
   */
  public record Row(ShardBinding binding, int from, int to) {}

  /**
   * What one shard is sent.
   *
   * @param rows indexes of the rows in it, ascending
   */
  public record Part(ShardId shard, String sql, List<Integer> rows) {}

  public RowSplit {
    rows = List.copyOf(rows);
  }

  /** Empty when the rows are not found where they should be. */
  static Optional<RowSplit> of(Tokens tokens, int values, List<ShardBinding> bindings) {
    List<Row> rows = new ArrayList<>();
    int at = values + 1;
    for (ShardBinding binding : bindings) {
      int close = tokens.isSymbol(at, "(") ? close(tokens, at) : -1;
      boolean last = rows.size() == bindings.size() - 1;
      if (close < 0 || tokens.isSymbol(close + 1, ",") == last) {
        return Optional.empty();
      }
      rows.add(new Row(binding, at, close));
      at = close + 2;
    }
    return Optional.of(new RowSplit(rows, rows.get(0).from(), rows.get(rows.size() - 1).to()));
  }

  private static int close(Tokens tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      if (tokens.isSymbol(i, "(")) {
        depth++;
      } else if (tokens.isSymbol(i, ")") && --depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The statement of each shard.
   *
   * @param appended what is added behind the client's text
   * @throws org.pgconcord.config.error.ConcordException when a row's shard cannot be told
   */
  public List<Part> parts(StatementText text, Parameters parameters, String appended) {
    return parts(text, parameters, appended, List.of());
  }

  /** This row and no other. */
  RowSplit alone(int row) {
    return new RowSplit(List.of(rows.get(row)), first, last);
  }

  /**
   * The same with insertions behind the rows.
   *
   * @param edits in the order of their tokens
   */
  List<Part> parts(
      StatementText text, Parameters parameters, String appended, List<SqlEdit> edits) {
    NavigableMap<ShardId, List<Integer>> byShard = new TreeMap<>();
    for (int row = 0; row < rows.size(); row++) {
      Resolution where = rows.get(row).binding().resolve(text, parameters);
      if (!(where instanceof Resolution.One one)) {
        throw ErrorCode.WRITE_SEVERAL_SHARDS.because(
            "row %d: %s".formatted(row + 1, ((Resolution.NotOne) where).reason()));
      }
      byShard.computeIfAbsent(one.shard(), s -> new ArrayList<>()).add(row);
    }
    return byShard.entrySet().stream()
        .map(e -> new Part(e.getKey(), sql(text, e.getValue(), edits) + appended, e.getValue()))
        .toList();
  }

  /**
   * The statement with some of its rows.
   *
   * @param edits insertions behind the rows, in the order of their tokens
   */
  public String sql(StatementText text, List<Integer> wanted, List<SqlEdit> edits) {
    Tokens tokens = text.tokens();
    StringBuilder sql = new StringBuilder(text.sql().substring(0, tokens.start(first)));
    String between = "";
    for (int row : wanted) {
      Row one = rows.get(row);
      sql.append(between).append(text.sql(), tokens.start(one.from()), tokens.end(one.to()));
      between = ", ";
    }
    int rest = tokens.end(last);
    for (SqlEdit edit : edits) {
      int at = tokens.end(edit.token() - 1);
      sql.append(text.sql(), rest, at).append(edit.text());
      rest = at;
    }
    return sql.append(text.sql(), rest, tokens.end(tokens.size() - 1)).toString();
  }

  /** The highest number of a parameter that decides; 0 when none does. */
  int needs() {
    return rows.stream().mapToInt(r -> r.binding().needs()).max().orElse(0);
  }
}
