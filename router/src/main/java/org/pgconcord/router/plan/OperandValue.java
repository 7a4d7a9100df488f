package org.pgconcord.router.plan;

import org.pgconcord.router.sql.StatementText;

/** Binds a {@link KeyOperand}. */
final class OperandValue {
  private OperandValue() {}

  static KeyValue of(
      KeyOperand operand, KeyColumn column, KeyUse use, StatementText text, Parameters parameters) {
    if (operand instanceof KeyOperand.Null) {
      return new KeyValue.Null();
    }
    return new KeyValue.NotConvertible("not bound: " + column.name() + use + text + parameters);
  }
}
