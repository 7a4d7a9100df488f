package org.pgconcord.router.sql;

import java.util.List;

/**
 * An insertion into a client's text at a token, so that it holds for every text of the same shape
 * whatever the length of its constants.
 *
 * @param token index of the token that the text goes in front of; the number of tokens stands for
 *     the end of the last token
 * @param text what to insert
 */
public record SqlEdit(int token, String text) {

  /** The statement with all edits applied; {@code edits} are in the order of their tokens. */
  public static String apply(StatementText statement, List<SqlEdit> edits) {
    StringBuilder out = new StringBuilder(statement.sql().length() + 64);
    int copied = 0;
    for (SqlEdit edit : edits) {
      int at = edit.offset(statement);
      out.append(statement.sql(), copied, at).append(edit.text);
      copied = at;
    }
    return out.append(statement.sql(), copied, statement.sql().length()).toString();
  }

  /** Behind the previous token rather than in front of its own: a comment may stand between. */
  private int offset(StatementText statement) {
    Tokens tokens = statement.tokens();
    return token == 0 ? tokens.start(0) : tokens.end(token - 1);
  }
}
