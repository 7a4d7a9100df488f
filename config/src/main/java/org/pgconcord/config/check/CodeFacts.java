package org.pgconcord.config.check;

import java.util.List;
import java.util.Set;
import org.pgconcord.config.value.TableName;

/**
 * The code of users in one database of a shard, as its catalogs have it.
 *
 * @param relations all tables and views of users' schemas
 * @param defers a constraint or trigger of some table may wait for COMMIT
 */
record CodeFacts(
    List<Function> functions,
    Set<TableName> relations,
    List<Operator> operators,
    List<Cast> casts,
    List<Use> uses,
    boolean defers) {
  CodeFacts {
    functions = List.copyOf(functions);
    relations = Set.copyOf(relations);
    operators = List.copyOf(operators);
    casts = List.copyOf(casts);
    uses = List.copyOf(uses);
  }

  /**
   * A function.
   *
   * @param language as pg_language names it
   * @param extension that it belongs to; empty for none
   * @param volatility {@code i}, {@code s}, {@code v}
   * @param plain no aggregate, no window function, no procedure, and gives one value
   * @param trigger only triggers call it
   * @param ofRow {@code row.function} calls it
   * @param body its text, or for an aggregate the names of what it is made of
   * @param definition two functions with the same text here and the same arguments do the same
   */
  record Function(
      String schema,
      String name,
      String arguments,
      String language,
      String extension,
      char volatility,
      boolean plain,
      boolean trigger,
      boolean ofRow,
      String body,
      String definition) {
    boolean isCompiled() {
      return language.equals("c") || language.equals("internal");
    }
  }

  /** An operator, by the name of its function. */
  record Operator(String symbol, String function) {}

  /**
   * A cast by a function of a user.
   *
   * @param kind {@code cast}, {@code explicit cast}, or {@code any cast}
   * @param name of a type, or of a relation with a column of it; empty for {@code any cast}
   */
  record Cast(String kind, String name, String function) {}

  /**
   * An expression of a relation that refers to a function or to another relation.
   *
   * @param kind {@code view}, {@code policy}, {@code default}, {@code check}
   * @param label of the expression: the policy's name, the column, the constraint
   * @param function empty where {@code relation} is given
   */
  record Use(
      TableName of, String kind, String label, String function, String relSchema, String relName) {
    boolean ofRelation() {
      return function.isEmpty();
    }

    TableName relation() {
      return new TableName(relSchema, relName);
    }
  }
}
