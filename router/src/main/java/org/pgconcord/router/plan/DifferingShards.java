package org.pgconcord.router.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.ShardDifferences;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * Refuses statements that would mean one thing on one shard and another on the next, because the
 * shards' definitions of a table differ. Columns that such a statement does not touch may differ,
 * as they do while a change of the table goes from shard to shard.
 */
final class DifferingShards {
  private final PlanInput input;

  DifferingShards(PlanInput input) {
    this.input = input;
  }

  /** Rows of several shards are read or written by one statement. */
  void refuseTogether(ReadFacts facts) {
    for (TableUse use : facts.sharded()) {
      ShardDifferences differences = differences(use.table());
      for (Map.Entry<String, String> one : differences.meanings().entrySet()) {
        if (touches(use, one.getKey())) {
          throw differs(use.table(), one.getValue());
        }
      }
    }
  }

  /** Values without names of columns, or a column left to a default. */
  void refuseInsert(DeclaredTable table, StatementView.Insert insert) {
    ShardDifferences differences = differences(table);
    Optional<String> order = differences.columns();
    if (order.isPresent() && insert.columns().isEmpty()) {
      throw differs(table, order.get());
    }
    for (Map.Entry<String, String> one : differences.defaults().entrySet()) {
      if (leaves(table, insert, one.getKey())) {
        throw differs(table, one.getValue());
      }
    }
  }

  /** A COPY whose columns are named, whichever it leaves out. */
  void refuseCopy(DeclaredTable table, List<String> columns) {
    differences(table)
        .defaults()
        .forEach(
            (column, message) -> {
              if (!columns.contains(column)) {
                throw differs(table, message);
              }
            });
  }

  private static ShardDifferences differences(DeclaredTable table) {
    return table.schema().map(TableSchema::differences).orElse(ShardDifferences.NONE);
  }

  private static ConcordException differs(DeclaredTable table, String message) {
    return ErrorCode.SCHEMA_DIFFERS.because(
        "the shards' definitions of %s differ: %s".formatted(table.name(), message));
  }

  private static boolean leaves(DeclaredTable table, StatementView.Insert insert, String column) {
    if (insert.source() == StatementView.Source.DEFAULTS) {
      return true;
    }
    List<String> given =
        insert.columns().isEmpty()
            ? table.schema().orElseThrow().columns().stream().map(Column::name).toList()
            : insert.columns();
    int at = given.indexOf(column);
    return at < 0
        || insert.rows().stream()
            .anyMatch(
                row -> at >= row.size() || row.get(at) instanceof StatementView.ValueView.Default);
  }

  // --- what a statement touches ----------------------------------------------------------------

  private boolean touches(TableUse use, String column) {
    return column.equals(ShardDifferences.ROWS)
        || names(column)
        || hasStar()
        || input.clauses().has("natural")
        || use.place().renamed()
        || hasWholeRow(use);
  }

  private boolean names(String name) {
    Tokens tokens = input.tokens();
    return IntStream.range(0, tokens.size())
        .anyMatch(i -> tokens.kind(i).isName() && Names.of(tokens, i).equals(name));
  }

  /** {@code *} and {@code t.*}, but not {@code count(*)} nor a product. */
  private boolean hasStar() {
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      boolean counted = tokens.isSymbol(i - 1, "(") && tokens.isSymbol(i + 1, ")");
      boolean product =
          i > 0
              && (tokens.isSymbol(i - 1, ")")
                  || tokens.kind(i - 1).isLiteral()
                  || (tokens.kind(i - 1).isName()
                      && !tokens.isAnyWord(i - 1, "select", "all", "distinct", "returning")));
      if (tokens.isSymbol(i, "*") && !counted && !product) {
        return true;
      }
    }
    return false;
  }

  /** The table's name or alias is used once in FROM and else in front of a dot. */
  private boolean hasWholeRow(TableUse use) {
    Tokens tokens = input.tokens();
    return Stream.of(use.alias(), use.table().name().name())
        .anyMatch(
            word ->
                IntStream.range(0, tokens.size())
                        .filter(i -> tokens.kind(i).isName())
                        .filter(i -> !tokens.isSymbol(i + 1, "."))
                        .filter(i -> Names.of(tokens, i).equals(word))
                        .count()
                    > 1);
  }
}
