package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads ON CONFLICT from its tokens. The grammar behind it is small and its words are in fixed
 * places, so that no parser's tree is needed but for the assigned columns.
 */
final class ConflictReader {
  private final Tokens tokens;
  private final Clauses clauses;

  ConflictReader(Tokens tokens, Clauses clauses) {
    this.tokens = tokens;
    this.clauses = clauses;
  }

  /**
   * The clause of the INSERT that {@code statement} spans.
   *
   * @param assigned the columns of DO UPDATE SET as the tree has them
   */
  ConflictView read(Clauses.Range statement, List<String> assigned) throws UnreadableException {
    int conflict = last(statement) + 1;
    int next = conflict + 1;
    if (tokens.isSymbol(next, "(")) {
      return columns(next, statement, assigned);
    } else if (tokens.isWord(next, "on") && tokens.isWord(next + 1, "constraint")) {
      return action(
          ConflictView.Target.CONSTRAINT,
          List.of(Names.of(tokens, next + 2)),
          true,
          true,
          -1,
          next + 3,
          assigned);
    }
    return action(ConflictView.Target.NONE, List.of(), true, true, -1, next, assigned);
  }

  /** A join's condition may begin with a column of that name: the clause is the last. */
  private int last(Clauses.Range statement) throws UnreadableException {
    int found = -1;
    for (int i = statement.from(); i < statement.to(); i = clauses.behind(i)) {
      if (tokens.isWord(i, "on") && tokens.isWord(i + 1, "conflict")) {
        found = i;
      }
    }
    if (found < 0) {
      throw new UnreadableException("ON CONFLICT in this place");
    }
    return found;
  }

  private ConflictView columns(int open, Clauses.Range statement, List<String> assigned)
      throws UnreadableException {
    int close = clauses.close(open);
    List<String> plain = new ArrayList<>();
    boolean whole = true;
    for (Clauses.Range element : clauses.items(open + 1, close)) {
      boolean name = element.to() == element.from() + 1 && tokens.kind(element.from()).isName();
      whole &= name;
      if (name) {
        plain.add(Names.of(tokens, element.from()));
      }
    }
    int next = close + 1;
    boolean named = whole;
    if (tokens.isWord(next, "where")) {
      whole = false;
      while (next < statement.to() && !isAction(next)) {
        next = clauses.behind(next);
      }
    }
    return action(ConflictView.Target.COLUMNS, plain, named, whole, open + 1, next, assigned);
  }

  private boolean isAction(int at) {
    return tokens.isWord(at, "do")
        && (tokens.isWord(at + 1, "nothing")
            || (tokens.isWord(at + 1, "update") && tokens.isWord(at + 2, "set")));
  }

  private ConflictView action(
      ConflictView.Target target,
      List<String> columns,
      boolean plain,
      boolean whole,
      int first,
      int at,
      List<String> assigned)
      throws UnreadableException {
    boolean updates = tokens.isWord(at + 1, "update");
    if (!isAction(at) || updates == assigned.isEmpty()) {
      throw new UnreadableException("this form of ON CONFLICT");
    }
    return new ConflictView(target, columns, plain, whole, first, at, updates, assigned);
  }
}
