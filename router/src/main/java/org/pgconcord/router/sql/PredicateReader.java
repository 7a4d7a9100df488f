package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import org.jspecify.annotations.Nullable;

/** Takes the conditions that must hold for every row out of a WHERE or ON clause. */
final class PredicateReader {
  /** Tokens of a value in front of a column that are looked at. */
  private static final int MOST_BEFORE = 12;

  private final Tokens tokens;
  private final Clauses clauses;
  private final Conjunction chain;
  private final AnalysisText text;

  PredicateReader(Tokens tokens, Clauses clauses, AnalysisText text) {
    this(tokens, clauses, new Conjunction(tokens, clauses), text);
  }

  /**
   * @param chain that whose operands are read
   */
  PredicateReader(Tokens tokens, Clauses clauses, Conjunction chain, AnalysisText text) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.chain = chain;
    this.text = text;
  }

  /** Whether the range is by itself one operand of the AND chain that is read. */
  boolean isConjunct(int from, int to) {
    return chain.isConjunct(from, to);
  }

  List<PredicateView> conjuncts(@Nullable Expression condition) {
    List<PredicateView> found = new ArrayList<>();
    if (condition != null) {
      collect(condition, found);
    }
    return found;
  }

  private void collect(Expression condition, List<PredicateView> found) {
    if (condition instanceof AndExpression and) {
      collect(and.getLeftExpression(), found);
      collect(and.getRightExpression(), found);
    } else if (condition instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
      collect(list.get(0), found);
    } else if (condition instanceof OrExpression or) {
      found.addAll(new AlternativesReader(tokens, clauses, chain, text).columns(or));
    } else if (condition instanceof EqualsTo equal) {
      Expression left = equal.getLeftExpression();
      Expression right = equal.getRightExpression();
      if (left instanceof ParenthesedExpressionList<?> row && row.size() > 1) {
        found.addAll(new RowReader(tokens, clauses, this).equality(row, right));
      } else if (right instanceof Function function && isAny(function)) {
        element(left).ifPresent(found::add);
      } else {
        equality(left, right).ifPresent(found::add);
      }
    } else if (condition instanceof InExpression in && !in.isNot()) {
      if (in.getLeftExpression() instanceof ParenthesedExpressionList<?> row && row.size() > 1) {
        found.addAll(new RowReader(tokens, clauses, this).membership(row, in));
      } else {
        membership(in).ifPresent(found::add);
      }
    } else {
      new BoundReader(tokens, this).bounds(condition).ifPresent(found::add);
    }
  }

  /** {@code a = NULL} is no condition to go by: with transform_null_equals it means IS NULL. */
  private Optional<PredicateView> equality(Expression left, Expression right) {
    if (left instanceof NullValue || right instanceof NullValue) {
      return Optional.empty();
    }
    Optional<ColumnView> a = column(left);
    Optional<ColumnView> b = column(right);
    if (a.isPresent() && b.isPresent()) {
      return Optional.<PredicateView>of(new PredicateView.Same(a.get(), b.get()))
          .filter(p -> spansWholly(a.get().token(), nameEnd(b.get().token())));
    } else if (a.isPresent()) {
      int name = a.get().token();
      int equals = nameEnd(name);
      return tokens.isSymbol(equals, "=")
          ? valueAt(right, equals + 1)
              .filter(value -> chain.isConjunct(name, value.end()))
              .map(value -> new PredicateView.OneOf(a.get(), List.of(value.constant())))
          : Optional.empty();
    } else if (b.isPresent() && tokens.isSymbol(b.get().token() - 1, "=")) {
      return valueBefore(left, b.get().token())
          .map(value -> new PredicateView.OneOf(b.get(), List.of(value)));
    }
    return Optional.empty();
  }

  /** A constant and the token behind it. */
  record Value(ConstantView constant, int end) {}

  /** The constant, or the arithmetic over constants, that begins at a token. */
  Optional<Value> valueAt(Expression expression, int at) {
    Optional<ConstantView> constant = constant(expression);
    int end = constantEnd(at);
    return constant.isPresent() && end > at
        ? Optional.of(new Value(constant.get(), end))
        : ArithmeticReader.at(tokens, at)
            .map(read -> new Value(new ConstantView.Computed(read.expression()), read.end()));
  }

  /** The same in front of an operator behind which a column's name makes the condition whole. */
  Optional<ConstantView> valueBefore(Expression expression, int name) {
    int operator = name - 1;
    for (int from = operator - 1; from >= 0 && from >= operator - MOST_BEFORE; from--) {
      Optional<Value> value = valueAt(expression, from).filter(v -> v.end() == operator);
      if (value.isPresent() && chain.isConjunct(from, nameEnd(name))) {
        return value.map(Value::constant);
      }
    }
    return Optional.empty();
  }

  private Optional<PredicateView> membership(InExpression in) {
    Optional<ColumnView> column = column(in.getLeftExpression());
    if (column.isEmpty()
        || !(in.getRightExpression() instanceof ParenthesedExpressionList<?> list)) {
      return Optional.empty();
    }
    int word = nameEnd(column.get().token());
    int close = clauses.close(word + 1);
    boolean agreed =
        tokens.isWord(word, "in") && close > 0 && chain.isConjunct(column.get().token(), close + 1);
    return agreed
        ? values(list, clauses.items(word + 2, close))
            .map(values -> new PredicateView.OneOf(column.get(), values))
        : Optional.empty();
  }

  /** The values of a list; arithmetic among them is read from an item's own tokens. */
  private Optional<List<ConstantView>> values(
      ParenthesedExpressionList<?> list, List<Clauses.Range> items) {
    List<ConstantView> values = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      Optional<ConstantView> value = constant(list.get(i));
      if (value.isEmpty() && items.size() == list.size()) {
        Clauses.Range item = items.get(i);
        value =
            ArithmeticReader.at(tokens, item.from())
                .filter(read -> read.end() == item.to())
                .map(read -> new ConstantView.Computed(read.expression()));
      }
      if (value.isEmpty()) {
        return Optional.empty();
      }
      values.add(value.get());
    }
    return Optional.of(values);
  }

  private static boolean isAny(Function function) {
    return "any".equalsIgnoreCase(function.getName())
        || "some".equalsIgnoreCase(function.getName());
  }

  /** {@code column = ANY (array)}, the array one constant or made of constants. */
  private Optional<PredicateView> element(Expression left) {
    Optional<ColumnView> column = column(left);
    if (column.isEmpty()) {
      return Optional.empty();
    }
    int name = column.get().token();
    int word = nameEnd(name) + 1;
    int close = clauses.close(word + 1);
    boolean agreed =
        tokens.isSymbol(word - 1, "=")
            && tokens.isAnyWord(word, "any", "some")
            && close > 0
            && chain.isConjunct(name, close + 1);
    return agreed
        ? new ArrayReader(tokens, clauses)
            .elements(new Clauses.Range(word + 2, close))
            .map(values -> new PredicateView.OneOf(column.get(), values))
        : Optional.empty();
  }

  /** Tokens must read {@code name = name} and nothing more. */
  private boolean spansWholly(int from, int to) {
    int equals = nameEnd(from);
    return tokens.isSymbol(equals, "=") && nameEnd(equals + 1) == to && chain.isConjunct(from, to);
  }

  /** Behind a constant with its sign and cast; {@code from} itself when none begins there. */
  int constantEnd(int from) {
    if (tokens.isSymbol(from, "(")) {
      int inner = constantEnd(from + 1);
      return inner > from + 1 && inner == clauses.close(from) ? inner + 1 : from;
    }
    int i = tokens.isSymbol(from, "-") ? from + 1 : from;
    if (i >= tokens.size()) {
      return from;
    }
    if (tokens.isWord(i, "cast") && tokens.isSymbol(i + 1, "(")) {
      return clauses.close(i + 1) + 1;
    }
    if (tokens.isWord(i, "null")) {
      return i + 1;
    }
    if (!tokens.kind(i).isLiteral() && tokens.kind(i) != TokenKind.PARAMETER) {
      return typedLiteralEnd(i, from);
    }
    i++;
    return tokens.size() > i && tokens.kind(i) == TokenKind.TYPECAST ? castEnd(i, from) : i;
  }

  private int typedLiteralEnd(int i, int otherwise) {
    boolean typed =
        tokens.kind(i) == TokenKind.WORD && i + 1 < tokens.size() && tokens.kind(i + 1).isString();
    return typed ? i + 2 : otherwise;
  }

  /** Only one-word types: {@code ::bigint}, {@code ::pg_catalog.int8} is not known here. */
  private int castEnd(int cast, int otherwise) {
    return cast + 1 < tokens.size() && tokens.kind(cast + 1) == TokenKind.WORD
        ? cast + 2
        : otherwise;
  }

  int nameEnd(int from) {
    int i = from + 1;
    while (tokens.isSymbol(i, ".") && i + 1 < tokens.size() && tokens.kind(i + 1).isName()) {
      i += 2;
    }
    return i;
  }

  Optional<ColumnView> column(Expression expression) {
    if (!(expression instanceof Column column)
        || column.getArrayConstructor() != null
        || column.getASTNode() == null) {
      return Optional.empty();
    }
    int token = token(column, text);
    List<String> parts = new ArrayList<>();
    int end = nameEnd(token);
    for (int i = token; i < end; i += 2) {
      if (!tokens.kind(i).isName()) {
        return Optional.empty();
      }
      parts.add(Names.of(tokens, i));
    }
    String name = parts.remove(parts.size() - 1);
    boolean value = tokens.kind(token) == TokenKind.WORD && Keywords.VALUES.contains(name);
    if (value && parts.isEmpty()) {
      return Optional.empty();
    }
    return name.equals(Names.ofSource(column.getColumnName()))
        ? Optional.of(new ColumnView(parts, name, token))
        : Optional.empty();
  }

  static int token(Column column, AnalysisText text) {
    return column.getASTNode() == null
        ? -1
        : text.tokenAt(column.getASTNode().jjtGetFirstToken().absoluteBegin - 1);
  }

  /**
   * A literal, a parameter or NULL, with at most one sign and one cast to a plain type; parentheses
   * around it are what drivers put there that send values as text.
   */
  Optional<ConstantView> constant(Expression expression) {
    if (expression instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
      return constant(list.get(0));
    } else if (expression instanceof NullValue) {
      return Optional.of(new ConstantView.Null());
    } else if (expression instanceof StringValue string) {
      return literal(string.getValue(), false, "");
    } else if (expression instanceof LongValue number) {
      return literal(number.getStringValue(), false, "");
    } else if (expression instanceof JdbcParameter parameter && parameter.getIndex() != null) {
      return Optional.of(new ConstantView.Parameter(parameter.getIndex(), ""));
    } else if (expression instanceof SignedExpression signed
        && signed.getSign() == '-'
        && signed.getExpression() instanceof LongValue number) {
      return literal(number.getStringValue(), true, "");
    } else if (expression instanceof CastExpression cast) {
      return castConstant(cast);
    }
    return Optional.empty();
  }

  private Optional<ConstantView> castConstant(CastExpression cast) {
    if (cast.getColDataType() == null || cast.getFormat() != null) {
      return Optional.empty();
    }
    String type = cast.getColDataType().toString().toLowerCase(Locale.ROOT).trim();
    Optional<ConstantView> inner = constant(cast.getLeftExpression());
    if (inner.isEmpty()) {
      return inner;
    }
    if (inner.get() instanceof ConstantView.Literal literal && literal.cast().isEmpty()) {
      return Optional.of(new ConstantView.Literal(literal.token(), literal.negative(), type));
    } else if (inner.get() instanceof ConstantView.Parameter parameter
        && parameter.cast().isEmpty()) {
      return Optional.of(new ConstantView.Parameter(parameter.number(), type));
    }
    return inner.get() instanceof ConstantView.Null ? inner : Optional.empty();
  }

  /** A constant that is all of the tokens in the range. */
  Optional<ConstantView> constantIn(Expression expression, int from, int to) {
    return constant(expression).filter(c -> to > from && constantEnd(from) == to);
  }

  /** The constant in the analysed text is the index of the client's token. */
  private Optional<ConstantView> literal(String value, boolean negative, String cast) {
    try {
      int token = Integer.parseInt(value);
      return token < tokens.size() && tokens.kind(token).isLiteral()
          ? Optional.of(new ConstantView.Literal(token, negative, cast))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
