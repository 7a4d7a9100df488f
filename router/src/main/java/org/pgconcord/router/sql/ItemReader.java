package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.parser.ASTNodeAccess;
import net.sf.jsqlparser.statement.select.SelectItem;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of a list whose order decides where rows go. The list is taken apart by its
 * commas, and the parser's list must have as many items: an item that it lost or made up would put
 * a column in another's place. What an item is follows from its tokens alone, but for the value of
 * a constant.
 */
final class ItemReader {
  private final Tokens tokens;
  private final Clauses clauses;
  private final AnalysisText text;
  private final PredicateReader predicates;

  ItemReader(Tokens tokens, Clauses clauses, AnalysisText text, PredicateReader predicates) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.text = text;
    this.predicates = predicates;
  }

  /**
   * The items of a select list, or behind RETURNING; {@code keyword} begins it. Empty when in
   * doubt.
   */
  Optional<List<ItemView>> selected(@Nullable List<SelectItem<?>> items, String keyword) {
    if (items == null || items.isEmpty()) {
      return Optional.empty();
    }
    int from = start(items.get(0), keyword);
    List<Clauses.Range> ranges = from < 0 ? List.of() : clauses.items(from, clauses.listEnd(from));
    if (ranges.size() != items.size()) {
      return Optional.empty();
    }
    List<ItemView> views = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      views.add(item(ranges.get(i), items.get(i).getExpression()));
    }
    return Optional.of(views);
  }

  /** Behind the keyword and DISTINCT or ALL; -1 when they are not found. */
  private int start(ASTNodeAccess first, String keyword) {
    if (first.getASTNode() == null) {
      return -1;
    }
    int token = text.tokenAt(first.getASTNode().jjtGetFirstToken().absoluteBegin - 1);
    int at = clauses.leftwards(token, keyword) + 1;
    if (at > 0 && tokens.isWord(at, "all")) {
      return at + 1;
    } else if (at > 0 && tokens.isWord(at, "distinct")) {
      return tokens.isWord(at + 1, "on") ? clauses.close(at + 2) + 1 : at + 1;
    }
    return at > 0 ? at : -1;
  }

  private ItemView item(Clauses.Range range, Expression expression) {
    int end = range.to();
    String label = "";
    if (end - range.from() >= 3 && tokens.isWord(end - 2, "as") && tokens.kind(end - 1).isName()) {
      label = Names.of(tokens, end - 1);
      end -= 2;
    } else if (isBareLabel(range)) {
      label = Names.of(tokens, end - 1);
      end--;
    }
    if (tokens.isSymbol(end - 1, "*") && label.isEmpty()) {
      Optional<List<String>> qualifier =
          end - 1 == range.from() ? Optional.of(List.of()) : names(range.from(), end - 2);
      boolean star = end - 1 == range.from() || tokens.isSymbol(end - 2, ".");
      if (star && qualifier.isPresent()) {
        return new ItemView.Star(qualifier.get());
      }
    }
    Optional<List<String>> names = names(range.from(), end);
    if (names.isPresent()) {
      List<String> parts = names.get();
      String name = parts.get(parts.size() - 1);
      return new ItemView.Plain(
          new ColumnView(parts.subList(0, parts.size() - 1), name, range.from()),
          label.isEmpty() ? name : label);
    }
    Optional<ConstantView> constant = predicates.constantIn(expression, range.from(), end);
    if (constant.isPresent()) {
      return new ItemView.Constant(constant.get(), label);
    }
    return new ItemView.Other(label);
  }

  /** Behind a name, a constant or a parenthesis; behind anything else AS is needed to tell. */
  private boolean isBareLabel(Clauses.Range range) {
    int last = range.to() - 1;
    boolean operator =
        tokens.isAnyWord(last, "isnull", "notnull")
            || (tokens.kind(range.from()) == TokenKind.WORD
                && Keywords.BEFORE_EXPRESSION.contains(Names.of(tokens, range.from())));
    return last - range.from() >= 1
        && tokens.kind(last).isName()
        && !operator
        && (names(range.from(), last).isPresent()
            || (last - range.from() == 1
                && (tokens.kind(range.from()).isLiteral()
                    || tokens.kind(range.from()) == TokenKind.PARAMETER))
            || tokens.isSymbol(last - 1, ")"));
  }

  /** Names with dots between them, and nothing else. */
  private Optional<List<String>> names(int from, int to) {
    List<String> parts = new ArrayList<>();
    for (int i = from; i < to; i++) {
      boolean name = (i - from) % 2 == 0;
      if (name ? !tokens.kind(i).isName() : !tokens.isSymbol(i, ".")) {
        return Optional.empty();
      }
      if (name) {
        parts.add(Names.of(tokens, i));
      }
    }
    boolean value =
        to == from + 1
            && tokens.kind(from) == TokenKind.WORD
            && Keywords.VALUES.contains(Names.of(tokens, from));
    return value || (to - from) % 2 == 0 ? Optional.empty() : Optional.of(parts);
  }
}
