package org.pgconcord.router.sql;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.CollateExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JsonExpression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.OverlapsCondition;
import net.sf.jsqlparser.expression.RangeExpression;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.TimezoneExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ExistsExpression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsBooleanExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.IsUnknownExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.update.Update;
import org.jspecify.annotations.Nullable;

/**
 * A statement as JSqlParser has it, written with parentheses round every operator with its
 * operands, every join with its sides and every arm of a set operation. To PostgreSQL's grammar
 * parentheses are no node of their own: its tree of this text is JSqlParser's nesting in
 * PostgreSQL's words. Without them a text says nothing about the tree it was printed from: {@code
 * sk = 1 AND (d OR sk = 2)} and {@code (sk = 1 AND d) OR sk = 2} print alike where the parser has
 * grouped the operands itself.
 *
 * <p>The tree is changed by its fields: the parser's own visitors pass over some of its nodes (ON
 * CONFLICT, RETURNING, windows), and one that is passed over would be compared with itself.
 */
final class BracketedTree {
  /** Nodes that end where their operands' precedence says; all others have ends of their own. */
  private static final List<Class<?>> OPERATORS =
      List.of(
          BinaryExpression.class,
          Between.class,
          CollateExpression.class,
          ExistsExpression.class,
          InExpression.class,
          IsBooleanExpression.class,
          IsNullExpression.class,
          IsUnknownExpression.class,
          JsonExpression.class,
          NotExpression.class,
          OverlapsCondition.class,
          SignedExpression.class,
          TimezoneExpression.class);

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

  private BracketedTree() {}

  /** The text of the tree, which is changed by this. */
  static String write(Statement tree) {
    new BracketedTree().node(tree);
    return tree.toString();
  }

  private void node(@Nullable Object node) {
    if (node instanceof List<?> list && seen.add(node)) {
      @SuppressWarnings("unchecked") // an expression stands in the place of another
      List<Object> elements = (List<Object>) list;
      for (int i = 0; i < elements.size(); i++) {
        node(elements.get(i));
        if (isOperator(elements.get(i))) {
          elements.set(i, bracketed(elements.get(i)));
        }
      }
    }
    if (node != null && isOfTree(node.getClass()) && seen.add(node)) {
      for (Class<?> type = node.getClass(); isOfTree(type); type = type.getSuperclass()) {
        for (Field field : type.getDeclaredFields()) {
          if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
            field(node, field);
          }
        }
      }
      joins(node);
    }
  }

  private void field(Object node, Field field) {
    try {
      field.setAccessible(true);
      Object value = field.get(node);
      node(value);
      if (isOperator(value) && field.getType() == Expression.class) {
        field.set(node, bracketed(value));
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** Not what the parser keeps of its tokens. */
  private static boolean isOfTree(Class<?> type) {
    return type.getName().startsWith("net.sf.jsqlparser.")
        && !type.getName().startsWith("net.sf.jsqlparser.parser.")
        && !type.isEnum();
  }

  private static boolean isOperator(@Nullable Object node) {
    boolean cast =
        node instanceof CastExpression c
            && (c.keyword == null || c.keyword.isEmpty())
            && !c.isImplicitCast();
    return cast
        || (!(node instanceof RangeExpression)
            && OPERATORS.stream().anyMatch(o -> o.isInstance(node)));
  }

  private static Object bracketed(Object operator) {
    return new ParenthesedExpressionList<>((Expression) operator);
  }

  // --- joins and arms, whose nesting the tree leaves to whoever reads it ------------------------

  private static void joins(Object node) {
    if (node instanceof PlainSelect select && select.getJoins() != null && !select.isUsingOnly()) {
      Items items = items(select.getFromItem(), select.getJoins());
      select.setFromItem(items.first);
      select.setJoins(items.others);
    } else if (node instanceof Update update && update.getJoins() != null) {
      Items items = items(update.getFromItem(), update.getJoins());
      update.setFromItem(items.first);
      update.setJoins(items.others);
    } else if (node instanceof SetOperationList operation) {
      List<Select> arms = operation.getSelects();
      Select last = arms.get(arms.size() - 1);
      operation.setSelects(arms.stream().map(a -> a == last && isCut(a) ? a : arm(a)).toList());
    } else if (node instanceof ParenthesedFromItem item && item.getJoins() != null) {
      List<Join> joins = item.getJoins();
      if (joins.size() > 1 && joins.stream().noneMatch(Join::isSimple)) {
        Items items = items(item.getFromItem(), joins.subList(0, joins.size() - 1));
        item.setFromItem(items.first);
        item.setJoins(List.of(joins.get(joins.size() - 1)));
      }
    }
  }

  /** FROM items, and those behind commas. */
  private record Items(FromItem first, List<Join> others) {}

  /** As {@link QueryReader#from} reads a list of joins: each has all before it as its left side. */
  private static Items items(FromItem from, List<Join> joins) {
    List<Join> commas = new ArrayList<>();
    FromItem first = from;
    FromItem current = from;
    for (Join join : joins) {
      if (join.isSimple()) {
        commas.add(join);
        current = join.getFromItem();
      } else {
        ParenthesedFromItem both = new ParenthesedFromItem(current);
        both.setJoins(List.of(join));
        current = both;
        if (commas.isEmpty()) {
          first = current;
        } else {
          commas.get(commas.size() - 1).setFromItem(current);
        }
      }
    }
    return new Items(first, commas);
  }

  /**
   * The parser can leave to the last arm what PostgreSQL has of the whole operation. The router
   * reads these clauses from the tokens, and their subqueries as those of the whole.
   */
  private static boolean isCut(Select arm) {
    return arm instanceof PlainSelect plain
        && (plain.getLimit() != null
            || plain.getOffset() != null
            || plain.getFetch() != null
            || plain.getForMode() != null);
  }

  private static Select arm(Select select) {
    return select instanceof ParenthesedSelect
        ? select
        : new ParenthesedSelect().withSelect(select);
  }
}
