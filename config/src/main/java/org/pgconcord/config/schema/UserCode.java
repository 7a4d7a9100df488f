package org.pgconcord.config.schema;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What runs code that users have written in SQL or a procedural language, which may read any table:
 * functions, operators and casts, by name alone, whatever their schemas and argument types are.
 * Functions in C and PostgreSQL's own are not among them, nor those that only triggers call.
 *
 * @param functions aggregates and window functions of such functions among them
 * @param rowFunctions those of them that {@code row.function} calls
 * @param operators their symbols
 * @param casts names of types, and of relations with columns of them, whose values such a function
 *     may cast without being asked to
 * @param explicitCasts the same where the statement writes the cast
 * @param anyExplicitCast a cast between PostgreSQL's own types is such a function
 */
public record UserCode(
    Set<String> functions,
    Set<String> rowFunctions,
    Set<String> operators,
    Set<String> casts,
    Set<String> explicitCasts,
    boolean anyExplicitCast) {
  /** None, or nothing is known. */
  public static final UserCode NONE =
      new UserCode(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(), false);

  public UserCode {
    functions = Set.copyOf(functions);
    rowFunctions = Set.copyOf(rowFunctions);
    operators = Set.copyOf(operators);
    casts = Set.copyOf(casts);
    explicitCasts = Set.copyOf(explicitCasts);
  }

  /** What is on this shard or another. */
  public UserCode with(UserCode other) {
    return new UserCode(
        union(functions, other.functions),
        union(rowFunctions, other.rowFunctions),
        union(operators, other.operators),
        union(casts, other.casts),
        union(explicitCasts, other.explicitCasts),
        anyExplicitCast || other.anyExplicitCast);
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    return Stream.concat(one.stream(), other.stream()).collect(Collectors.toSet());
  }
}
