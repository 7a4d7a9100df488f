package org.pgconcord.router.plan;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TokenKind;

/** Binds a {@link KeyOperand}: finds its text and type, and converts it as the server would. */
final class OperandValue {
  static final int UNKNOWN_OID = 705;

  /** The names under which casts know the types; those that cut or round are left out. */
  private static final Map<String, KeyType> CAST_TYPES =
      Map.ofEntries(
          Map.entry("smallint", KeyType.INT),
          Map.entry("integer", KeyType.INT),
          Map.entry("int", KeyType.INT),
          Map.entry("bigint", KeyType.INT),
          Map.entry("int2", KeyType.INT),
          Map.entry("int4", KeyType.INT),
          Map.entry("int8", KeyType.INT),
          Map.entry("text", KeyType.TEXT),
          Map.entry("varchar", KeyType.TEXT),
          Map.entry("character varying", KeyType.TEXT),
          Map.entry("bpchar", KeyType.BPCHAR),
          Map.entry("uuid", KeyType.UUID),
          Map.entry("bytea", KeyType.BYTEA),
          Map.entry("numeric", KeyType.NUMERIC),
          Map.entry("decimal", KeyType.NUMERIC),
          Map.entry("date", KeyType.DATE),
          Map.entry("timestamp", KeyType.TIMESTAMP),
          Map.entry("timestamp without time zone", KeyType.TIMESTAMP),
          Map.entry("timestamptz", KeyType.TIMESTAMPTZ),
          Map.entry("timestamp with time zone", KeyType.TIMESTAMPTZ));

  private OperandValue() {}

  /**
   * All values of the operand in a comparison, more than one only of an array; the one value is
   * there alone when it is not convertible.
   */
  static List<KeyValue> all(
      KeyOperand operand, KeyColumn column, StatementText text, Parameters parameters) {
    return operand instanceof KeyOperand.Each each
        ? ArrayValues.of(each, column, text, parameters)
        : List.of(of(operand, column, KeyUse.COMPARED, text, parameters));
  }

  static KeyValue of(
      KeyOperand operand, KeyColumn column, KeyUse use, StatementText text, Parameters parameters) {
    if (operand instanceof KeyOperand.Null) {
      return new KeyValue.Null();
    } else if (operand instanceof KeyOperand.Literal literal) {
      return literal(literal, column, use, text);
    }
    if (operand instanceof KeyOperand.Computed computed) {
      return new ArithmeticValue(computed, text, parameters).of(column, use);
    } else if (operand instanceof KeyOperand.Foreign) {
      return new KeyValue.NotConvertible("operators of another schema come before PostgreSQL's");
    }
    return operand instanceof KeyOperand.Parameter parameter
        ? parameter(parameter, column, use, parameters)
        : new KeyValue.NotConvertible("an array or a range is not one value");
  }

  private static KeyValue literal(
      KeyOperand.Literal literal, KeyColumn column, KeyUse use, StatementText text) {
    TokenKind kind = text.tokens().kind(literal.token());
    Optional<KeyType> cast = Optional.ofNullable(CAST_TYPES.get(literal.cast()));
    if (!literal.cast().isEmpty() && cast.isEmpty()) {
      return new KeyValue.NotConvertible("a cast to " + literal.cast() + " is not evaluated here");
    }
    if (kind.isNumber()) {
      String number =
          (literal.negative() ? "-" : "") + NumberText.of(text.tokens().text(literal.token()));
      KeyType own = NumberText.isInteger(number) ? KeyType.INT : KeyType.NUMERIC;
      if (cast.isPresent() && !(own == KeyType.INT && isNumber(cast.get()))) {
        return new KeyValue.NotConvertible("the cast of this number is not evaluated here");
      }
      return KeyConversion.convert(number, cast.orElse(own), column, use);
    }
    Optional<String> string = LiteralText.of(text.tokens(), literal.token());
    return string.isEmpty()
        ? new KeyValue.NotConvertible("the notation of this constant is not read here")
        : KeyConversion.convert(string.get(), cast.orElse(null), column, use);
  }

  private static KeyValue parameter(
      KeyOperand.Parameter operand, KeyColumn column, KeyUse use, Parameters parameters) {
    if (operand.number() > parameters.count()) {
      return new KeyValue.NotConvertible("parameter $" + operand.number() + " has no value", true);
    }
    ParameterValue value = parameters.value(operand.number());
    if (value.bytes() == null) {
      return new KeyValue.Null();
    }
    KeyType cast = CAST_TYPES.get(operand.cast());
    if (!operand.cast().isEmpty() && cast == null) {
      return new KeyValue.NotConvertible("a cast to " + operand.cast() + " is not evaluated here");
    }
    boolean declared = value.typeOid() != 0 && value.typeOid() != UNKNOWN_OID;
    if (!declared && !operand.typeCertain()) {
      return new KeyValue.NotConvertible(
          "the type of parameter $%d is not declared".formatted(operand.number()));
    }
    KeyType type = declared ? typeOf(value.typeOid(), column) : cast;
    if (declared && (type == null || (cast != null && cast != type))) {
      return new KeyValue.NotConvertible(
          "parameter $%d has another type than the column".formatted(operand.number()));
    }
    boolean asColumn = !declared || value.typeOid() == column.column().typeOid();
    int assumed = asColumn ? column.column().base().oid() : value.typeOid();
    return ParameterText.of(value, assumed)
        .map(t -> KeyConversion.convert(t, type, column, use))
        .orElseGet(() -> new KeyValue.NotConvertible("the parameter's format is not read here"));
  }

  static Optional<KeyType> castType(String cast) {
    return Optional.ofNullable(CAST_TYPES.get(cast));
  }

  static @Nullable KeyType typeOf(int oid, KeyColumn column) {
    return oid == column.column().typeOid() ? column.type() : KeyType.of(oid).orElse(null);
  }

  private static boolean isNumber(KeyType type) {
    return type == KeyType.INT || type == KeyType.NUMERIC;
  }

  /** An operand from the statement's view of a constant that is neither computed nor a span. */
  static KeyOperand operand(ConstantView constant, boolean typeCertain) {
    if (constant instanceof ConstantView.Literal literal) {
      return new KeyOperand.Literal(
          literal.token(), literal.negative(), literal.cast().toLowerCase(Locale.ROOT));
    } else if (constant instanceof ConstantView.Parameter parameter) {
      return new KeyOperand.Parameter(parameter.number(), parameter.cast(), typeCertain);
    } else if (constant instanceof ConstantView.Each each) {
      return new KeyOperand.Each(operand(each.array(), typeCertain));
    }
    return new KeyOperand.Null();
  }
}
