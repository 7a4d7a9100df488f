package org.pgconcord.router.sql;

import java.util.Arrays;

/**
 * Forms of FROM that the parser lacks: {@code USING (a) AS x}, and {@code XMLTABLE} and {@code
 * JSON_TABLE}, which it reads as functions of the values that they take apart. What their columns
 * are called and made of is the server's affair; a subquery among them would be missed by the count
 * of SELECTs, and the statement refused.
 */
final class TableForms {
  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;

  TableForms(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
  }

  /** The alias of what is joined by: it can name nothing but columns that the list names too. */
  void joined(int using) {
    int close = clauses.close(using + 1);
    boolean names = close > 0;
    for (int i = using + 2; names && i < close; i++) {
      names = tokens.kind(i).isName() || tokens.isSymbol(i, ",");
    }
    if (names && tokens.isWord(close + 1, "as") && close + 2 < pieces.length) {
      Arrays.fill(pieces, close + 1, close + 3, "");
    }
  }

  /** {@code XMLTABLE(path PASSING document COLUMNS ...)}. */
  void xml(int function) {
    int close = clauses.close(function + 1);
    int passing = at("passing", function + 2, close);
    int columns = at("columns", function + 2, close);
    if (passing < 0 || columns < passing || tokens.isWord(function + 2, "xmlnamespaces")) {
      return;
    }
    pieces[function] = "xml_table";
    pieces[passing] = ",";
    byReference(passing + 1);
    byReference(columns - 2);
    Arrays.fill(pieces, columns, close, "");
  }

  private void byReference(int by) {
    if (tokens.isWord(by, "by") && tokens.isAnyWord(by + 1, "ref", "value")) {
      Arrays.fill(pieces, by, by + 2, "");
    }
  }

  /** {@code JSON_TABLE(document, path AS name COLUMNS (...) ERROR ON ERROR)}. */
  void json(int function) {
    int close = clauses.close(function + 1);
    int columns = at("columns", function + 2, close);
    if (columns < 0 || at("passing", function + 2, close) >= 0) {
      return;
    }
    pieces[function] = "json_rows";
    int as = at("as", function + 2, columns);
    Arrays.fill(pieces, as < 0 ? columns : as, close, "");
  }

  /** The word in no parentheses of its own between the two tokens; -1 if it is not there. */
  private int at(String word, int from, int to) {
    for (int i = from; i < to; i = clauses.behind(i)) {
      if (tokens.isWord(i, word)) {
        return i;
      }
    }
    return -1;
  }
}
