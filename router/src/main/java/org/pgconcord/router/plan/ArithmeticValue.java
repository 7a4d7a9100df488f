package org.pgconcord.router.plan;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.Arithmetic;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.StatementText;

/**
 * What integer arithmetic comes to, in 64 bits.
 *
 * <p><b>Claim.</b> Wherever the server gets a value, this gets the same or none.
 *
 * <p>All operands are {@code smallint}, {@code integer} or {@code bigint}: numbers of up to 64 bits
 * (larger ones, and those with a point or an exponent, are numeric and give no value here), and
 * strings and parameters under a cast to one of the three. PostgreSQL's operators on them (int.c,
 * int8.c) give the mathematical result, {@code /} cut off towards zero and {@code %} with the sign
 * of the dividend, as Java's do; a result that the operator's type cannot hold, and a division by
 * zero, are errors. The types' widths therefore decide between a value and an error alone. In 64
 * bits no result overflows that fits a narrower type; where this has a value and the server an
 * error, any shard that is asked reports it.
 *
 * <p>NULL makes the whole NULL, as these operators are strict.
 */
final class ArithmeticValue {
  private static final Pattern INTEGER = Pattern.compile("[ \t\n\r\f]*[+-]?[0-9]+[ \t\n\r\f]*");

  private static final Map<String, Integer> OIDS =
      Map.of(
          "smallint",
          21,
          "int2",
          21,
          "integer",
          23,
          "int",
          23,
          "int4",
          23,
          "bigint",
          20,
          "int8",
          20);

  private final KeyOperand.Computed operand;
  private final StatementText text;
  private final Parameters parameters;

  /** Why there is no value. */
  private KeyValue.@Nullable NotConvertible obstacle;

  ArithmeticValue(KeyOperand.Computed operand, StatementText text, Parameters parameters) {
    this.operand = operand;
    this.text = text;
    this.parameters = parameters;
  }

  KeyValue of(KeyColumn column, KeyUse use) {
    Optional<Long> value;
    try {
      value = value(operand.expression());
    } catch (ArithmeticException e) {
      return new KeyValue.NotConvertible(
          "the server will not compute this value: " + e.getMessage());
    }
    if (obstacle != null) {
      return obstacle;
    }
    return value.isEmpty()
        ? new KeyValue.Null()
        : KeyConversion.convert(Long.toString(value.get()), KeyType.INT, column, use);
  }

  /** Empty for NULL, and where there is an obstacle. */
  private Optional<Long> value(Arithmetic expression) {
    if (expression instanceof Arithmetic.Negated negated) {
      return value(negated.operand()).map(Math::negateExact);
    } else if (expression instanceof Arithmetic.Combined combined) {
      Optional<Long> left = value(combined.left());
      Optional<Long> right = value(combined.right());
      return left.isEmpty() || right.isEmpty()
          ? Optional.empty()
          : Optional.of(combined(combined.operator(), left.get(), right.get()));
    }
    ConstantView constant = ((Arithmetic.Operand) expression).constant();
    return constant instanceof ConstantView.Parameter parameter
        ? parameter(parameter)
        : literal(((ConstantView.Literal) constant).token());
  }

  private static long combined(char operator, long left, long right) {
    return switch (operator) {
      case '+' -> Math.addExact(left, right);
      case '-' -> Math.subtractExact(left, right);
      case '*' -> Math.multiplyExact(left, right);
      case '%' -> left % right;
      default -> {
        if (left == Long.MIN_VALUE && right == -1) {
          throw new ArithmeticException("long overflow");
        }
        yield left / right;
      }
    };
  }

  private Optional<Long> literal(int token) {
    return text.tokens().kind(token).isNumber()
        ? parsed(NumberText.of(text.tokens().text(token)))
        : LiteralText.of(text.tokens(), token)
            .flatMap(this::parsed)
            .or(() -> none("the notation of this constant is not read here", false));
  }

  private Optional<Long> parameter(ConstantView.Parameter parameter) {
    int number = parameter.number();
    if (number > parameters.count()) {
      return none("parameter $" + number + " has no value", true);
    }
    ParameterValue value = parameters.value(number);
    if (value.bytes() == null) {
      return Optional.empty();
    }
    boolean declared = value.typeOid() != 0 && value.typeOid() != OperandValue.UNKNOWN_OID;
    if (!declared && !operand.certain().contains(number)) {
      return none("the type of parameter $%d is not declared".formatted(number), false);
    }
    int oid = declared ? value.typeOid() : OIDS.getOrDefault(parameter.cast(), 0);
    if (!OIDS.containsValue(oid)) {
      return none("parameter $%d is no integer".formatted(number), false);
    }
    return value.binary()
        ? ParameterText.of(value, oid).flatMap(this::parsed)
        : parsed(new String(value.bytes(), StandardCharsets.UTF_8));
  }

  private Optional<Long> parsed(String digits) {
    if (!INTEGER.matcher(digits).matches()) {
      return none("this constant is no integer in plain digits", false);
    }
    try {
      return Optional.of(Long.parseLong(digits.strip()));
    } catch (NumberFormatException e) {
      return none("this constant has more than 64 bits", false);
    }
  }

  private Optional<Long> none(String reason, boolean missing) {
    obstacle = new KeyValue.NotConvertible(reason, missing);
    return Optional.empty();
  }
}
