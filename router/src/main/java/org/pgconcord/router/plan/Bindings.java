package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.PinnedValue;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.ConstantView;

/** Makes {@link ShardBinding}s from what the analysis found. */
final class Bindings {
  private final PlanInput input;

  Bindings(PlanInput input) {
    this.input = input;
  }

  /** The pins of all sharded tables that are read, each constant once. */
  List<ShardBinding.Pin> compared(ReadFacts facts) {
    Set<ConstantView> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<PinnedValue> values = new ArrayList<>();
    for (TableUse use : facts.sharded()) {
      use.pins().stream().filter(v -> seen.add(v.constant())).forEach(values::add);
    }
    return values.stream().map(v -> pin(v, values, KeyUse.COMPARED)).toList();
  }

  ShardBinding.Pin pin(PinnedValue value, List<PinnedValue> all, KeyUse use) {
    return new ShardBinding.Pin(
        OperandValue.operand(value.constant(), typeCertain(value.constant(), all)),
        value.key().column(),
        value.key().locator(),
        use);
  }

  /** Whether the statement uses a parameter nowhere but as a key's value. */
  private boolean typeCertain(ConstantView constant, List<PinnedValue> all) {
    if (!(constant instanceof ConstantView.Parameter parameter)) {
      return true;
    }
    long asKey =
        all.stream()
            .map(PinnedValue::constant)
            .filter(c -> c instanceof ConstantView.Parameter p && p.number() == parameter.number())
            .count();
    return input.uses(parameter.number()) == asKey;
  }

  /** The operand for a constant that is used once for another purpose. */
  KeyOperand lone(ConstantView constant) {
    boolean certain =
        !(constant instanceof ConstantView.Parameter parameter)
            || input.uses(parameter.number()) == 1;
    return OperandValue.operand(constant, certain);
  }

  /**
   * The one shard of unsharded tables, if any; the caller has seen to it that there is no second.
   */
  static Optional<ShardId> required(ReadFacts facts) {
    return facts.local().stream().findFirst();
  }
}
