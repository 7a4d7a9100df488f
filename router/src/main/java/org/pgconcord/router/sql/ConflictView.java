package org.pgconcord.router.sql;

import java.util.List;

/**
 * ON CONFLICT of an INSERT.
 *
 * @param target how the index is named whose conflicts are meant
 * @param columns the plain columns among a target's elements, those with a collation, an operator
 *     class or an expression left out; the constraint's name alone for {@link Target#CONSTRAINT}
 * @param plain a target of columns has no other elements
 * @param whole it has no WHERE either
 * @param first the first token of a target of columns
 * @param action where DO stands
 * @param updates DO UPDATE; else DO NOTHING
 * @param assigned the columns of DO UPDATE SET
 */
public record ConflictView(
    Target target,
    List<String> columns,
    boolean plain,
    boolean whole,
    int first,
    int action,
    boolean updates,
    List<String> assigned) {
  public ConflictView {
    columns = List.copyOf(columns);
    assigned = List.copyOf(assigned);
  }

  /** The same, setting these columns. */
  public ConflictView withAssigned(List<String> other) {
    return new ConflictView(target, columns, plain, whole, first, action, updates, other);
  }

  /** What stands between ON CONFLICT and DO. */
  public enum Target {
    /** Nothing: conflicts with every index. */
    NONE,
    /** A list in parentheses. */
    COLUMNS,
    /** ON CONSTRAINT. */
    CONSTRAINT
  }
}
