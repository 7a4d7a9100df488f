package org.pgconcord.config.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.value.TableName;

/**
 * What runs code that users have written, by name alone, whatever their schemas and argument types
 * are, and what that code may touch ({@link Reach}). PostgreSQL's own functions are not among them,
 * nor those that only triggers call. Operators and casts whose function is the same {@linkplain
 * Reach#everywhere everywhere} are left out.
 *
 * @param functions in SQL and procedural languages; aggregates and window functions of such
 *     functions among them
 * @param compiled the same in C, where PostgreSQL has no function of the name
 * @param rowFunctions those of the first that {@code row.function} calls
 * @param operators by their symbols
 * @param casts names of types, and of relations with columns of them, whose values such a function
 *     may cast without being asked to
 * @param explicitCasts the same where the statement writes the cast
 * @param anyExplicitCast a cast between PostgreSQL's own types by such a function, if there is one
 * @param attached by declared table, what touches a table
 * @param defers some table has a constraint or a trigger that may wait for COMMIT
 */
public record UserCode(
    Map<String, Reach> functions,
    Map<String, Reach> compiled,
    Set<String> rowFunctions,
    Map<String, Reach> operators,
    Map<String, Reach> casts,
    Map<String, Reach> explicitCasts,
    Optional<Reach> anyExplicitCast,
    Map<TableName, List<AttachedCode>> attached,
    boolean defers) {
  /** None, or nothing is known. */
  public static final UserCode NONE =
      new UserCode(
          Map.of(),
          Map.of(),
          Set.of(),
          Map.of(),
          Map.of(),
          Map.of(),
          Optional.empty(),
          Map.of(),
          true);

  public UserCode {
    functions = Map.copyOf(functions);
    compiled = Map.copyOf(compiled);
    rowFunctions = Set.copyOf(rowFunctions);
    operators = Map.copyOf(operators);
    casts = Map.copyOf(casts);
    explicitCasts = Map.copyOf(explicitCasts);
    attached = Map.copyOf(attached);
  }

  /** What any of the casts may touch. */
  public Optional<Reach> cast() {
    return java.util.stream.Stream.of(
            casts.values().stream(), explicitCasts.values().stream(), anyExplicitCast.stream())
        .flatMap(reaches -> reaches)
        .reduce(Reach::with);
  }

  /** What the functions of this name may touch; empty where users have none. */
  public Optional<Reach> function(String name) {
    Reach code = functions.get(name);
    Reach inC = compiled.get(name);
    return code == null || inC == null
        ? Optional.ofNullable(code == null ? inC : code)
        : Optional.of(code.with(inC));
  }
}
