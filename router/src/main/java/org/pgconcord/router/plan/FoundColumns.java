package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * Columns of the target in front of a comparison: one, or several in parentheses.
 *
 * @param from their first token
 */
record FoundColumns(int from, List<String> names, List<String> written) {
  /**
   * A name, perhaps with a qualifier.
   *
   * @param qualifier empty for none
   */
  record Reference(String qualifier, String name) {
    /** What the tokens are, if they are nothing else. */
    static Optional<Reference> of(Tokens tokens, Clauses.Range range) {
      int last = range.to() - 1;
      int length = range.to() - range.from();
      if (length < 1 || !tokens.kind(last).isName() || tokens.isAnyWord(last, "not", "null")) {
        return Optional.empty();
      } else if (length == 1) {
        return Optional.of(new Reference("", Names.of(tokens, last)));
      }
      return length == 3 && tokens.isSymbol(last - 1, ".") && tokens.kind(last - 2).isName()
          ? Optional.of(new Reference(Names.of(tokens, last - 2), Names.of(tokens, last)))
          : Optional.empty();
    }

    boolean isOf(FoundTarget target) {
      return target.has(name) && (qualifier.isEmpty() || qualifier.equals(target.alias()));
    }

    String written() {
      return (qualifier.isEmpty() ? "" : Identifiers.quote(qualifier) + ".")
          + Identifiers.quote(name);
    }
  }

  /** What stands in front of an operator, if it is columns of the target. */
  static Optional<FoundColumns> before(PlanInput input, FoundTarget target, int operator) {
    Tokens tokens = input.tokens();
    List<Clauses.Range> parts = new ArrayList<>();
    int from;
    if (tokens.isSymbol(operator - 1, ")")) {
      from = input.clauses().partner(operator - 1);
      if (from < 0) {
        return Optional.empty();
      }
      parts.addAll(input.clauses().items(new Clauses.Range(from + 1, operator - 1)));
    } else {
      from = tokens.isSymbol(operator - 2, ".") ? operator - 3 : operator - 1;
      parts.add(new Clauses.Range(Math.max(from, 0), operator));
    }
    List<Reference> columns =
        parts.stream().flatMap(p -> Reference.of(tokens, p).stream()).toList();
    return columns.size() == parts.size() && columns.stream().allMatch(c -> c.isOf(target))
        ? Optional.of(
            new FoundColumns(
                from,
                columns.stream().map(Reference::name).toList(),
                columns.stream().map(Reference::written).toList()))
        : Optional.empty();
  }

  /** Each equal to the query's column of its place. */
  List<FoundKeys.Equal> inOrder() {
    return IntStream.range(0, names.size())
        .mapToObj(i -> new FoundKeys.Equal(written.get(i), names.get(i), i, ""))
        .toList();
  }
}
