package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * Calls of {@code nextval} and its kin for the sequences of sharded tables. A number may be put in
 * their place only where PostgreSQL would call the function once: as a value of VALUES ({@link
 * NumberRules}), and in a SELECT of nothing but such calls. What was given last may be read
 * wherever no column is named after it.
 */
final class NumberCalls {
  private static final Set<String> NAMES =
      Set.of("nextval", "currval", "setval", "pg_sequence_last_value");

  private final PlanInput input;
  private final Tokens tokens;
  private final Map<TableName, NumberedSequence> sequences;
  private final List<Call> calls = new ArrayList<>();
  private boolean unknown;

  /**
   * A call for a sequence that routers number.
   *
   * @param from its first token, the schema's where there is one
   * @param to behind its parenthesis
   */
  record Call(String function, NumberedSequence sequence, int from, int to) {}

  NumberCalls(PlanInput input) {
    this.input = input;
    this.tokens = input.tokens();
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (tokens.isSymbol(i + 1, "(")
          && tokens.kind(i).isName()
          && NAMES.contains(Names.of(tokens, i))
          && (!tokens.isSymbol(i - 1, ".") || isBuiltIn(i))) {
        found.add(i);
      }
    }
    this.sequences = found.isEmpty() ? Map.of() : NumberedSequence.all(input);
    if (!sequences.isEmpty()) {
      found.forEach(this::add);
    }
  }

  /** Whether the literal says which sequence is meant. */
  static boolean isArgument(Tokens tokens, int literal) {
    return literal > 1
        && tokens.isSymbol(literal - 1, "(")
        && tokens.kind(literal - 2).isName()
        && NAMES.contains(Names.of(tokens, literal - 2));
  }

  private boolean isBuiltIn(int name) {
    return tokens.kind(name - 2).isName() && Names.of(tokens, name - 2).equals("pg_catalog");
  }

  private void add(int name) {
    String function = Names.of(tokens, name);
    int at = name + 2;
    Optional<String> text =
        at < tokens.size() && tokens.kind(at).isString()
            ? LiteralText.of(tokens, at)
            : Optional.empty();
    int close = at + 1;
    if (tokens.isSymbol(close, "::") && tokens.isWord(close + 1, "regclass")) {
      close += 2;
    }
    boolean plain = tokens.isSymbol(close, ")") || function.equals("setval");
    if (text.isEmpty() || !plain) {
      throw ErrorCode.WRITE_NUMBER
          .because("the router cannot tell which sequence %s is called for".formatted(function))
          .withHint(
              "Name it by a constant; SELECT pg_get_serial_sequence(...) by itself tells its name.");
    }
    Optional<NumberedSequence> sequence = NumberedSequence.named(text.get(), sequences, input);
    if (sequence.isPresent() && !function.equals("nextval") && !function.equals("currval")) {
      throw forItself(function, sequence.get());
    }
    int from = tokens.isSymbol(name - 1, ".") ? name - 2 : name;
    int end = close + 1;
    sequence.ifPresentOrElse(
        s -> calls.add(new Call(function, s, from, end)), () -> unknown = true);
  }

  private static RuntimeException forItself(String function, NumberedSequence sequence) {
    return ErrorCode.WRITE_NUMBER
        .because(
            "%s is called for sequence %s of a sharded table".formatted(function, sequence.name()))
        .withDetail("Routers have numbers of it in hand, which nothing takes back.")
        .withHint(
            "To go on past rows that were loaded with numbers of their own, move the sequence in pgconcord.sequence (docs/sql.md, Sequences).");
  }

  /** All calls are for sequences whose numbers the session was given here. */
  boolean knowsCurrent() {
    return !calls.isEmpty() && !unknown;
  }

  /** The call that is these tokens and nothing else. */
  Optional<Call> exactly(int from, int to) {
    return calls.stream().filter(c -> c.from() == from && c.to() == to).findFirst();
  }

  List<Call> all() {
    return calls;
  }

  /** Calls for what was given last, in this range. */
  List<Call> currentIn(int from, int to) {
    return calls.stream()
        .filter(c -> c.function().equals("currval") && c.from() >= from && c.to() <= to)
        .toList();
  }

  /** Edits of a statement that is no INSERT of VALUES; empty where nothing is called. */
  Optional<NumberEdits> edits(CommandKind kind) {
    if (calls.isEmpty()) {
      return Optional.empty();
    }
    boolean selectsCalls = kind == CommandKind.QUERY && selectsCallsOnly();
    boolean changes = kind == CommandKind.UPDATE || kind == CommandKind.DELETE;
    List<NumberEdits.Edit> edits = new ArrayList<>();
    List<NumberEdits.Slot> slots = new ArrayList<>();
    for (Call call : calls) {
      boolean current = call.function().equals("currval");
      if (!selectsCalls && !(changes && current)) {
        throw refused(call);
      }
      edits.add(
          selectsCalls
              ? new NumberEdits.Edit(
                  call.from(),
                  call.to(),
                  "(SELECT '",
                  slots.size(),
                  "'::pg_catalog.int8 AS " + call.function() + ")")
              : current(call, slots.size()));
      slots.add(new NumberEdits.Slot(call.sequence(), current ? 0 : 1, current));
    }
    return Optional.of(new NumberEdits(edits, slots));
  }

  /** What was given last, as a constant. */
  static NumberEdits.Edit current(Call call, int slot) {
    return new NumberEdits.Edit(call.from(), call.to(), "'", slot, "'::pg_catalog.int8");
  }

  static RuntimeException refused(Call call) {
    return ErrorCode.WRITE_NUMBER.because(
        "%s is called for sequence %s of a sharded table, other than as a value of VALUES or in a"
                .formatted(call.function(), call.sequence().name())
            + " SELECT of nothing else");
  }

  /** {@code SELECT nextval('a'), nextval('b') AS x}. */
  private boolean selectsCallsOnly() {
    if (!tokens.isWord(0, "select")) {
      return false;
    }
    int at = 1;
    for (Call call : calls) {
      if (call.from() != at) {
        return false;
      }
      at = call.to();
      if (tokens.isWord(at, "as")) {
        at += 2;
      }
      if (at < tokens.size() && !tokens.isSymbol(at, ",")) {
        return false;
      }
      at++;
    }
    return at == tokens.size() + 1;
  }
}
