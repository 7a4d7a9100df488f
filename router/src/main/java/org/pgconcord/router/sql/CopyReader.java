package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a COPY command by PostgreSQL's grammar, options of the old notation included. */
public final class CopyReader {
  private final Tokens tokens;
  private final Clauses clauses;
  private final Map<String, CopyStatement.Option> options = new HashMap<>();
  private int at = 1;

  private CopyReader(Tokens tokens) {
    this.tokens = tokens;
    this.clauses = new Clauses(tokens);
  }

  /** Reads the statement, whose first word is COPY. */
  public static CopyStatement read(Tokens tokens) throws UnreadableException {
    return new CopyReader(tokens).statement();
  }

  private CopyStatement statement() throws UnreadableException {
    List<String> table = new ArrayList<>();
    List<String> columns = List.of();
    Optional<Clauses.Range> query = Optional.empty();
    if (tokens.isSymbol(at, "(")) {
      int close = clauses.close(at);
      if (close < 0) {
        throw unreadable();
      }
      query = Optional.of(new Clauses.Range(at + 1, close));
      at = close + 1;
    } else {
      if (tokens.isWord(at, "binary")) {
        options.put("format", new CopyStatement.Option("binary", List.of()));
        at++;
      }
      table.add(name());
      while (accept(".")) {
        table.add(name());
      }
    }
    int tableEnd = at;
    if (query.isEmpty() && tokens.isSymbol(at, "(")) {
      columns = names();
    }
    boolean into = tokens.isWord(at, "from");
    if ((!into && !tokens.isWord(at, "to")) || (into && query.isPresent())) {
      throw unreadable();
    }
    at++;
    CopyStatement.Other other = other();
    delimiters();
    if (tokens.isWord(at, "with")) {
      at++;
    }
    if (tokens.isSymbol(at, "(")) {
      generic();
    } else {
      while (at < tokens.size() && !tokens.isWord(at, "where")) {
        old();
      }
    }
    if (!tokens.isWord(at, "where") && at < tokens.size()) {
      throw unreadable();
    }
    Optional<Clauses.Range> where =
        at < tokens.size()
            ? Optional.of(new Clauses.Range(at + 1, tokens.size()))
            : Optional.empty();
    return new CopyStatement(table, tableEnd, columns, into, other, query, options, where);
  }

  private CopyStatement.Other other() throws UnreadableException {
    boolean program = tokens.isWord(at, "program") && at++ > 0;
    boolean client = tokens.isAnyWord(at, "stdin", "stdout");
    if (at >= tokens.size() || (!client && !tokens.kind(at).isString())) {
      throw unreadable();
    }
    at++;
    if (program) {
      return CopyStatement.Other.PROGRAM;
    }
    return client ? CopyStatement.Other.NONE : CopyStatement.Other.FILE;
  }

  // --- options ---------------------------------------------------------------------------------

  /** {@code [USING] DELIMITERS 'c'}, from before version 7.3. */
  private void delimiters() throws UnreadableException {
    if (tokens.isWord(at, "using")) {
      at++;
    }
    if (tokens.isWord(at, "delimiters")) {
      at++;
      put("delimiter", new CopyStatement.Option(string(), List.of()));
    }
  }

  private void old() throws UnreadableException {
    String word = word();
    switch (word) {
      case "binary", "csv" -> put("format", new CopyStatement.Option(word, List.of()));
      case "freeze", "header" -> put(word, CopyStatement.Option.BARE);
      case "delimiter", "null", "quote", "escape" -> {
        if (tokens.isWord(at, "as")) {
          at++;
        }
        put(word, new CopyStatement.Option(string(), List.of()));
      }
      case "encoding" -> put(word, new CopyStatement.Option(string(), List.of()));
      case "force" -> force();
      default -> throw unreadable();
    }
  }

  private void force() throws UnreadableException {
    String what = word();
    if (what.equals("not")) {
      what = "not_" + word();
    }
    if (accept("*")) {
      put("force_" + what, new CopyStatement.Option("*", List.of()));
      return;
    }
    List<String> columns = new ArrayList<>();
    do {
      columns.add(name());
    } while (accept(","));
    put("force_" + what, new CopyStatement.Option("", columns));
  }

  private void generic() throws UnreadableException {
    at++;
    do {
      String option = name();
      if (tokens.isSymbol(at, "(")) {
        put(option, new CopyStatement.Option("", names()));
      } else if (tokens.isSymbol(at, ",") || tokens.isSymbol(at, ")")) {
        put(option, CopyStatement.Option.BARE);
      } else {
        put(option, new CopyStatement.Option(value(), List.of()));
      }
    } while (accept(","));
    expect(")");
  }

  private String value() throws UnreadableException {
    if (at >= tokens.size()) {
      throw unreadable();
    }
    if (accept("*")) {
      return "*";
    } else if (tokens.kind(at).isString()) {
      return string();
    } else if (tokens.kind(at).isNumber()) {
      return tokens.text(at++);
    }
    return name();
  }

  /** An option that is given twice is an error of PostgreSQL's. */
  private void put(String option, CopyStatement.Option value) throws UnreadableException {
    if (options.put(option, value) != null) {
      throw new UnreadableException("a COPY option that is given twice");
    }
  }

  // --- tokens ----------------------------------------------------------------------------------

  private List<String> names() throws UnreadableException {
    List<String> names = new ArrayList<>();
    expect("(");
    do {
      names.add(at < tokens.size() && tokens.kind(at).isString() ? string() : name());
    } while (accept(","));
    expect(")");
    return names;
  }

  private String name() throws UnreadableException {
    if (at >= tokens.size()
        || !tokens.kind(at).isName()
        || (tokens.kind(at) == TokenKind.UNICODE_NAME && tokens.isWord(at + 1, "uescape"))) {
      throw unreadable();
    }
    return Names.of(tokens, at++);
  }

  private String word() throws UnreadableException {
    if (at >= tokens.size() || tokens.kind(at) != TokenKind.WORD) {
      throw unreadable();
    }
    return Names.fold(tokens.text(at++));
  }

  private String string() throws UnreadableException {
    if (at >= tokens.size() || !tokens.kind(at).isString()) {
      throw unreadable();
    }
    return LiteralText.of(tokens, at++).orElseThrow(this::unreadable);
  }

  private boolean accept(String symbol) {
    boolean there = tokens.isSymbol(at, symbol);
    at += there ? 1 : 0;
    return there;
  }

  private void expect(String symbol) throws UnreadableException {
    if (!accept(symbol)) {
      throw unreadable();
    }
  }

  private UnreadableException unreadable() {
    return new UnreadableException(
        at < tokens.size()
            ? "the construct near \"" + tokens.text(at) + "\" in COPY"
            : "a COPY that ends here");
  }
}
