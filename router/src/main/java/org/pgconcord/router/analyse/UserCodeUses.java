package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.schema.Reach;
import org.pgconcord.config.schema.UserCode;
import org.pgconcord.router.analyse.FunctionCalls.Call;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * Where a statement may run code that users have written ({@link UserCode}). Types are not known
 * here, so a name or a symbol is taken for the user's wherever it could be: at worst the statement
 * needs its shard key.
 */
public final class UserCodeUses {
  /** The operators that PostgreSQL's grammar puts for its words. */
  private static final Map<String, Set<String>> WORDS =
      Map.of(
          "between", Set.of("<", "<=", ">", ">="),
          "case", Set.of("="),
          "distinct", Set.of("="),
          "ilike", Set.of("~~*", "!~~*"),
          "in", Set.of("=", "<>"),
          "like", Set.of("~~", "!~~"),
          "natural", Set.of("="),
          "nullif", Set.of("="),
          "similar", Set.of("~", "!~"),
          "using", Set.of("="));

  private final Tokens tokens;
  private final UserCode code;

  private UserCodeUses(Tokens tokens, UserCode code) {
    this.tokens = tokens;
    this.code = code;
  }

  /** All calls of a statement, its uses of operators, casts and {@code value.function} too. */
  public static List<Call> calls(Tokens tokens, UserCode code) {
    List<Call> calls = new ArrayList<>(FunctionCalls.in(tokens, code.functions().keySet()));
    if (!code.equals(UserCode.NONE)) {
      UserCodeUses uses = new UserCodeUses(tokens, code);
      uses.operators().forEach(o -> calls.add(new Call("", Call.OPERATOR + o)));
      uses.fields().forEach(f -> calls.add(new Call("", Call.FIELD + f)));
      if (uses.casts()) {
        calls.add(new Call("", Call.CAST));
      }
    }
    return calls;
  }

  /** How far a call can be trusted beside the functions of users. */
  public static Kind kind(Call call, boolean builtinsFirst, UserCode code) {
    Kind kind = KnownFunctions.kind(call, builtinsFirst);
    if (kind == Kind.SESSION || isOfPostgres(call)) {
      return kind;
    }
    Reach own = code.functions().get(call.name());
    if (own == null && kind != Kind.UNKNOWN) {
      return kind;
    }
    boolean everywhere = code.function(call.name()).map(Reach::everywhere).orElse(false);
    Kind builtIn = KnownFunctions.kind(new Call("pg_catalog", call.name()), true);
    return everywhere && (builtIn == Kind.UNKNOWN || builtIn == Kind.READ_ONLY)
        ? Kind.READ_ONLY
        : Kind.UNKNOWN;
  }

  /** What the code of users behind a call may touch; empty where none is known. */
  public static Optional<Reach> reach(Call call, UserCode code) {
    if (isOfPostgres(call)) {
      return Optional.empty();
    }
    String name = call.name();
    if (name.equals(Call.CAST)) {
      return code.cast();
    } else if (name.startsWith(Call.OPERATOR)) {
      return Optional.ofNullable(code.operators().get(name.substring(Call.OPERATOR.length())));
    }
    return code.function(name.startsWith(Call.FIELD) ? name.substring(1) : name);
  }

  private static boolean isOfPostgres(Call call) {
    return call.schema().equals("pg_catalog") || call.schema().equals("information_schema");
  }

  private Stream<String> operators() {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < tokens.size() && !code.operators().isEmpty(); i++) {
      if (tokens.kind(i) == TokenKind.OPERATOR && !isStar(i) && !isBuiltIn(i)) {
        found.add(tokens.text(i).equals("!=") ? "<>" : tokens.text(i));
      } else if (tokens.kind(i) == TokenKind.WORD) {
        found.addAll(WORDS.getOrDefault(Names.of(tokens, i), Set.of()));
      }
    }
    return found.stream().filter(code.operators()::containsKey);
  }

  /** All columns, or all rows of count(*): nothing stands before it that could be multiplied. */
  private boolean isStar(int i) {
    return tokens.isSymbol(i, "*")
        && (tokens.isSymbol(i - 1, "(")
            || tokens.isSymbol(i - 1, ",")
            || tokens.isSymbol(i - 1, ".")
            || tokens.isAnyWord(i - 1, "select", "distinct", "all", "returning"));
  }

  /** {@code OPERATOR(pg_catalog.+)}. */
  private boolean isBuiltIn(int i) {
    return tokens.isSymbol(i - 1, ".")
        && i >= 2
        && tokens.kind(i - 2).isName()
        && Names.of(tokens, i - 2).equals("pg_catalog");
  }

  /** {@code ('x'::text).f} and {@code row.f} call {@code f} where there is no such field. */
  private Stream<String> fields() {
    List<String> found = new ArrayList<>();
    for (int i = 2; i < tokens.size(); i++) {
      boolean field =
          tokens.kind(i).isName() && tokens.isSymbol(i - 1, ".") && !tokens.isSymbol(i + 1, "(");
      if (field) {
        boolean value = tokens.isSymbol(i - 2, ")") || tokens.isSymbol(i - 2, "]");
        Set<String> functions = value ? code.functions().keySet() : code.rowFunctions();
        if (functions.contains(Names.of(tokens, i))) {
          found.add(Names.of(tokens, i));
        }
      }
    }
    return found.stream();
  }

  private boolean casts() {
    boolean written = false;
    boolean named = false;
    for (int i = 0; i < tokens.size(); i++) {
      written |=
          tokens.kind(i) == TokenKind.TYPECAST || tokens.isAnyWord(i, "cast", "treat", "returning");
      if (tokens.kind(i).isName()) {
        String name = Names.of(tokens, i);
        if (code.casts().containsKey(name)) {
          return true;
        }
        named |= code.explicitCasts().containsKey(name);
      }
    }
    return written && (named || code.anyExplicitCast().isPresent());
  }
}
