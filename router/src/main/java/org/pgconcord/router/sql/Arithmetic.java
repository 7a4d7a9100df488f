package org.pgconcord.router.sql;

import java.util.Set;
import java.util.TreeSet;

/** An expression over integers that are written in a statement or are values of parameters. */
public sealed interface Arithmetic {
  /**
   * A number, a string that is cast to an integer type, or a parameter that is.
   *
   * @param constant a literal without a sign, or a parameter
   */
  record Operand(ConstantView constant) implements Arithmetic {}

  /** A minus sign in front. */
  record Negated(Arithmetic operand) implements Arithmetic {}

  /**
   * An operator between two operands.
   *
   * @param operator one of {@code + - * / %}
   */
  record Combined(char operator, Arithmetic left, Arithmetic right) implements Arithmetic {}

  /** The numbers of the parameters in it. */
  default Set<Integer> parameters() {
    Set<Integer> numbers = new TreeSet<>();
    if (this instanceof Combined combined) {
      numbers.addAll(combined.left().parameters());
      numbers.addAll(combined.right().parameters());
    } else if (this instanceof Negated negated) {
      return negated.operand().parameters();
    } else if (this instanceof Operand operand
        && operand.constant() instanceof ConstantView.Parameter parameter) {
      numbers.add(parameter.number());
    }
    return numbers;
  }
}
