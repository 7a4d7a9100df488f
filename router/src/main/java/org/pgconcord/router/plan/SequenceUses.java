package org.pgconcord.router.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.Tokens;

/**
 * Statements that name a sequence of sharded tables as a relation. One shard's own would answer, or
 * be altered, which says nothing of the numbers that routers give (docs/decisions/0015).
 */
final class SequenceUses {
  private final PlanInput input;
  private final Tokens tokens;

  SequenceUses(PlanInput input) {
    this.input = input;
    this.tokens = input.tokens();
  }

  /** Refuses such a statement on no declared table. */
  void refuse(CommandKind kind) {
    if (kind != CommandKind.QUERY && kind != CommandKind.DEFINITION && kind != CommandKind.COPY) {
      return;
    }
    Map<TableName, NumberedSequence> all = NumberedSequence.all(input);
    for (int i = 0; !all.isEmpty() && i < tokens.size(); i++) {
      Optional<NumberedSequence> named = named(i, all);
      if (named.isPresent()) {
        throw refused(kind, named.get());
      }
    }
  }

  private Optional<NumberedSequence> named(int token, Map<TableName, NumberedSequence> all) {
    if (!tokens.kind(token).isName() || tokens.isWord(token - 1, "as")) {
      return Optional.empty();
    }
    String name = Names.of(tokens, token);
    List<String> parts =
        tokens.isSymbol(token - 1, ".") && token > 1 && tokens.kind(token - 2).isName()
            ? List.of(Names.of(tokens, token - 2), name)
            : List.of(name);
    return NumberedSequence.named(parts, all, input);
  }

  private static ConcordException refused(CommandKind kind, NumberedSequence sequence) {
    return kind == CommandKind.DEFINITION
        ? ErrorCode.SQL_DEFINITION
            .because(
                "the definition names sequence %s of a sharded table".formatted(sequence.name()))
            .withDetail("Routers give its numbers, which a shard's own sequence does not know.")
        : ErrorCode.WRITE_NUMBER
            .because("sequence %s of a sharded table is read".formatted(sequence.name()))
            .withDetail("Each shard has such a sequence, and none knows the numbers of routers.");
  }
}
