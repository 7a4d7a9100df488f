package org.pgconcord.router.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.ArrayText;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.StatementText;

/**
 * The elements of an array that is compared by {@code = ANY}, each converted as a lone value would
 * be. An array without elements and a NULL instead of one match nothing.
 */
final class ArrayValues {
  /** Built-in array types and the types of their elements (pg_type.dat). */
  private static final Map<Integer, Integer> ELEMENTS =
      Map.ofEntries(
          Map.entry(1001, 17),
          Map.entry(1005, 21),
          Map.entry(1007, 23),
          Map.entry(1009, 25),
          Map.entry(1014, 1042),
          Map.entry(1015, 1043),
          Map.entry(1016, 20),
          Map.entry(1021, 700),
          Map.entry(1022, 701),
          Map.entry(1115, 1114),
          Map.entry(1182, 1082),
          Map.entry(1185, 1184),
          Map.entry(1231, 1700),
          Map.entry(2951, 2950));

  private static final int MOST_DIMENSIONS = 6;

  private final KeyColumn column;
  private final @Nullable KeyType source;

  private ArrayValues(KeyColumn column, @Nullable KeyType source) {
    this.column = column;
    this.source = source;
  }

  static List<KeyValue> of(
      KeyOperand.Each each, KeyColumn column, StatementText text, Parameters parameters) {
    if (each.array() instanceof KeyOperand.Literal literal) {
      Optional<String> string = LiteralText.of(text.tokens(), literal.token());
      return string.isEmpty()
          ? unusable("the notation of this constant is not read here")
          : cast(literal.cast(), column, values -> values.ofText(string.get()));
    } else if (each.array() instanceof KeyOperand.Parameter parameter) {
      return parameter(parameter, column, parameters);
    }
    return List.of(new KeyValue.Null());
  }

  private interface Reading {
    List<KeyValue> with(ArrayValues values);
  }

  private static List<KeyValue> cast(String cast, KeyColumn column, Reading reading) {
    Optional<KeyType> type = OperandValue.castType(cast);
    return !cast.isEmpty() && type.isEmpty()
        ? unusable("a cast to " + cast + "[] is not evaluated here")
        : reading.with(new ArrayValues(column, type.orElse(null)));
  }

  private static List<KeyValue> parameter(
      KeyOperand.Parameter operand, KeyColumn column, Parameters parameters) {
    if (operand.number() > parameters.count()) {
      return List.of(
          new KeyValue.NotConvertible("parameter $" + operand.number() + " has no value", true));
    }
    ParameterValue value = parameters.value(operand.number());
    byte[] bytes = value.bytes();
    if (bytes == null) {
      return List.of(new KeyValue.Null());
    }
    boolean declared = value.typeOid() != 0 && value.typeOid() != OperandValue.UNKNOWN_OID;
    if (!declared && !operand.typeCertain()) {
      return unusable("the type of parameter $%d is not declared".formatted(operand.number()));
    }
    return cast(
        operand.cast(),
        column,
        values -> {
          ArrayValues typed = values;
          if (declared) {
            Integer element = ELEMENTS.get(value.typeOid());
            KeyType type = element == null ? null : OperandValue.typeOf(element, column);
            if (type == null || (values.source != null && values.source != type)) {
              return unusable(
                  "parameter $%d has another type than an array of the column's"
                      .formatted(operand.number()));
            }
            typed = new ArrayValues(column, type);
          }
          return value.binary()
              ? typed.ofBinary(ByteBuffer.wrap(bytes))
              : typed.ofText(new String(bytes, StandardCharsets.UTF_8));
        });
  }

  /** With {@code array_nulls} off the word NULL is a text. */
  private List<KeyValue> ofText(String array) {
    Optional<List<@Nullable String>> elements = ArrayText.read(array);
    if (elements.isEmpty()) {
      return unusable("this array is not read here");
    }
    List<KeyValue> values = new ArrayList<>();
    for (String element : elements.get()) {
      if (element == null && column.type().isText()) {
        return unusable("whether this array has NULLs or texts \"NULL\" is not known here");
      }
      values.add(element == null ? new KeyValue.Null() : converted(element));
    }
    return values;
  }

  private KeyValue converted(String element) {
    return KeyConversion.convert(element, source, column, KeyUse.COMPARED);
  }

  /** As array_send writes it: dimensions, the elements' type, then each with its length. */
  private List<KeyValue> ofBinary(ByteBuffer in) {
    if (in.remaining() < 12) {
      return unusable("this array is not read here");
    }
    int dimensions = in.getInt();
    in.getInt();
    int type = in.getInt();
    boolean expected =
        source == null
            ? type == column.column().base().oid()
            : KeyType.of(type).filter(source::equals).isPresent();
    if (!expected || dimensions < 0 || dimensions > MOST_DIMENSIONS) {
      return unusable("this array has other elements than the column");
    }
    if (in.remaining() < 8 * dimensions) {
      return unusable("this array is not read here");
    }
    in.position(in.position() + 8 * dimensions);
    List<KeyValue> values = new ArrayList<>();
    while (in.hasRemaining()) {
      int length = in.remaining() < 4 ? Integer.MAX_VALUE : in.getInt();
      if (length > in.remaining()) {
        return unusable("this array is not read here");
      } else if (length < 0) {
        values.add(new KeyValue.Null());
      } else {
        byte[] element = new byte[length];
        in.get(element);
        values.add(
            ParameterText.of(new ParameterValue(type, true, element), type)
                .map(this::converted)
                .orElseGet(
                    () -> new KeyValue.NotConvertible("the array's format is not read here")));
      }
    }
    return values;
  }

  private static List<KeyValue> unusable(String reason) {
    return List.of(new KeyValue.NotConvertible(reason));
  }
}
