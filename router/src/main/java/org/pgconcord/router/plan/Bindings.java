package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.PinnedValue;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Arithmetic;
import org.pgconcord.router.sql.ConstantView;

/** Makes {@link ShardBinding}s from what the analysis found. */
final class Bindings {
  private final PlanInput input;
  private @Nullable Map<Integer, Long> uses;
  private List<PinnedValue> counted = List.of();
  private Map<Integer, Long> asKeys = Map.of();

  Bindings(PlanInput input) {
    this.input = input;
  }

  /** The keys that pin the sharded tables that are read, each once. */
  List<ShardBinding.Pin> compared(ReadFacts facts) {
    return compared(facts, facts.sharded());
  }

  /** The keys that pin some of the tables that are read. */
  List<ShardBinding.Pin> compared(ReadFacts facts, List<TableUse> uses) {
    List<PinnedValue> values = distinct(facts);
    Set<List<PinnedValue>> seen = new HashSet<>();
    List<ShardBinding.Pin> pins = new ArrayList<>();
    for (TableUse use : uses) {
      for (List<PinnedValue> key : use.keys()) {
        if (seen.add(key)) {
          pins.add(pin(key, use.key(), values, KeyUse.COMPARED));
        }
      }
    }
    return pins;
  }

  /** Each constant of the statement once, however many tables it pins. */
  private static List<PinnedValue> distinct(ReadFacts facts) {
    Set<ConstantView> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    return facts.sharded().stream()
        .flatMap(use -> use.values().stream())
        .flatMap(List::stream)
        .filter(v -> seen.add(v.constant()))
        .toList();
  }

  /**
   * A pin by one value for each column.
   *
   * @param all the values of all pins of the statement
   */
  ShardBinding.Pin pin(
      List<PinnedValue> values, DeclaredTable.ShardKey key, List<PinnedValue> all, KeyUse use) {
    return new ShardBinding.Pin(
        values.stream()
            .map(
                v ->
                    new ShardBinding.Part(
                        operand(v.constant(), constant -> typeCertain(constant, all)), v.column()))
            .toList(),
        key.locator(),
        use);
  }

  /**
   * Whether the statement uses a parameter nowhere but as a key's value, or nowhere but as an array
   * of such.
   */
  private boolean typeCertain(ConstantView constant, List<PinnedValue> all) {
    return parameter(constant)
        .map(
            number ->
                uses()
                    .getOrDefault(number, 0L)
                    .equals(
                        asKeys(all)
                            .getOrDefault(
                                constant instanceof ConstantView.Each ? -number : number, 0L)))
        .orElse(true);
  }

  private interface Certainty {
    boolean of(ConstantView constant);
  }

  private KeyOperand operand(ConstantView constant, Certainty certain) {
    if (constant instanceof ConstantView.Computed computed) {
      return computed(computed.expression());
    } else if (constant instanceof ConstantView.Span span) {
      return new KeyOperand.Span(
          span.bounds().stream()
              .map(b -> new KeyOperand.Bound(b.side(), operand(b.value(), certain)))
              .toList());
    }
    return OperandValue.operand(constant, certain.of(constant));
  }

  private KeyOperand computed(Arithmetic expression) {
    Set<Integer> certain =
        expression.parameters().stream()
            .filter(number -> input.uses(number) == 1)
            .collect(Collectors.toSet());
    return input.names().builtinsFirst()
        ? new KeyOperand.Computed(expression, certain)
        : new KeyOperand.Foreign();
  }

  private static Optional<Integer> parameter(ConstantView constant) {
    if (constant instanceof ConstantView.Each each) {
      return parameter(each.array());
    }
    return constant instanceof ConstantView.Parameter parameter
        ? Optional.of(parameter.number())
        : Optional.empty();
  }

  /** How often each parameter occurs; counted once, for there may be thousands. */
  private Map<Integer, Long> uses() {
    if (uses == null) {
      uses = input.parameterUses();
    }
    return uses;
  }

  /** By number, negative for arrays. */
  @SuppressWarnings("ReferenceEquality") // the same list comes again and again
  private Map<Integer, Long> asKeys(List<PinnedValue> all) {
    if (counted != all) {
      counted = all;
      asKeys = new HashMap<>();
      all.stream()
          .flatMap(value -> ends(value.constant()))
          .forEach(
              constant ->
                  parameter(constant)
                      .map(number -> constant instanceof ConstantView.Each ? -number : number)
                      .ifPresent(number -> asKeys.merge(number, 1L, Long::sum)));
    }
    return asKeys;
  }

  private static Stream<ConstantView> ends(ConstantView constant) {
    return constant instanceof ConstantView.Span span
        ? span.bounds().stream().map(ConstantView.Bound::value)
        : Stream.of(constant);
  }

  /** The operand for a constant that is used once for another purpose. */
  KeyOperand lone(ConstantView constant) {
    return operand(constant, c -> parameter(c).map(number -> input.uses(number) == 1).orElse(true));
  }

  /**
   * The one shard of unsharded tables, if any; the caller has seen to it that there is no second.
   */
  static Optional<ShardId> required(ReadFacts facts) {
    return facts.local().stream().findFirst();
  }
}
