package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.TransactionModes.Isolation;
import org.pgconcord.router.sql.CommandKind;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/** Reads the commands about session and transaction. */
final class SessionPlans {
  private final Tokens tokens;

  SessionPlans(Tokens tokens) {
    this.tokens = tokens;
  }

  Plan plan(CommandKind kind) {
    return switch (kind) {
      case BEGIN -> begin();
      case COMMIT -> end(new SessionCommand.Commit());
      case ROLLBACK -> end(new SessionCommand.Rollback());
      case SAVEPOINT -> savepoint();
      case SET -> set();
      case RESET -> reset();
      case SHOW -> new SessionCommand.Show(settingName(1, tokens.size()));
      case PREPARED -> deallocate();
      default -> discard();
    };
  }

  private Plan begin() {
    int from = 1;
    if (tokens.isAnyWord(from, "transaction", "work")) {
      from++;
    }
    return new SessionCommand.Begin(modes(from));
  }

  private Plan end(SessionCommand command) {
    int i = tokens.isAnyWord(1, "transaction", "work") ? 2 : 1;
    boolean noChain = tokens.isWord(i, "and") && tokens.isWord(i + 1, "no");
    if (i == tokens.size() || (noChain && i + 3 == tokens.size())) {
      return command;
    }
    throw ErrorCode.SQL_TRANSACTION_FORM.because("AND CHAIN is not supported");
  }

  private Plan savepoint() {
    if (tokens.isWord(0, "savepoint")) {
      return new SessionCommand.Savepoint(savepointName(1));
    } else if (tokens.isWord(0, "release")) {
      return new SessionCommand.Release(savepointName(afterSavepoint(1)));
    } else if (tokens.isWord(0, "abort")) {
      throw syntax(1);
    }
    int to = tokens.isAnyWord(1, "transaction", "work") ? 2 : 1;
    return new SessionCommand.RollbackTo(savepointName(afterSavepoint(to + 1)));
  }

  /** The word may be left out, and may itself be a savepoint's name. */
  private int afterSavepoint(int i) {
    return tokens.isWord(i, "savepoint") && i + 1 < tokens.size() ? i + 1 : i;
  }

  private String savepointName(int i) {
    if (i + 1 != tokens.size() || !tokens.kind(i).isName()) {
      throw syntax(i);
    }
    return Names.of(tokens, i);
  }

  private TransactionModes modes(int from) {
    Optional<Isolation> isolation = Optional.empty();
    Optional<Boolean> readOnly = Optional.empty();
    Optional<Boolean> deferrable = Optional.empty();
    int i = from;
    while (i < tokens.size()) {
      if (tokens.isSymbol(i, ",")) {
        i++;
      } else if (tokens.isWord(i, "isolation") && tokens.isWord(i + 1, "level")) {
        isolation = Optional.of(isolation(i + 2));
        i += isolation.get() == Isolation.SERIALIZABLE ? 3 : 4;
      } else if (tokens.isWord(i, "read") && tokens.isAnyWord(i + 1, "only", "write")) {
        readOnly = Optional.of(tokens.isWord(i + 1, "only"));
        i += 2;
      } else if (tokens.isWord(i, "not") && tokens.isWord(i + 1, "deferrable")) {
        deferrable = Optional.of(false);
        i += 2;
      } else if (tokens.isWord(i, "deferrable")) {
        deferrable = Optional.of(true);
        i++;
      } else {
        throw syntax(i);
      }
    }
    return new TransactionModes(isolation, readOnly, deferrable);
  }

  private Isolation isolation(int i) {
    if (tokens.isWord(i, "serializable")) {
      return Isolation.SERIALIZABLE;
    } else if (tokens.isWord(i, "repeatable") && tokens.isWord(i + 1, "read")) {
      return Isolation.REPEATABLE_READ;
    } else if (tokens.isWord(i, "read") && tokens.isWord(i + 1, "committed")) {
      return Isolation.READ_COMMITTED;
    } else if (tokens.isWord(i, "read") && tokens.isWord(i + 1, "uncommitted")) {
      return Isolation.READ_UNCOMMITTED;
    }
    throw syntax(i);
  }

  private Plan set() {
    boolean local = tokens.isWord(1, "local");
    boolean session = tokens.isWord(1, "session");
    int i = 1;
    if (session && tokens.isWord(2, "characteristics")) {
      return new SessionCommand.SetTransaction(modes(5), true);
    }
    if (local || (session && !tokens.isWord(2, "authorization"))) {
      i = 2;
    }
    if (tokens.isWord(i, "transaction")) {
      if (tokens.isWord(i + 1, "snapshot")) {
        throw ErrorCode.SQL_TRANSACTION_FORM.because("SET TRANSACTION SNAPSHOT is not supported");
      }
      return new SessionCommand.SetTransaction(modes(i + 1), false);
    } else if (tokens.isWord(i, "constraints")) {
      throw ErrorCode.SQL_COMMAND.because("SET CONSTRAINTS is not supported");
    } else if (session && i == 1) {
      throw ErrorCode.SQL_COMMAND.because("SET SESSION AUTHORIZATION is not supported");
    }
    return special(i, local);
  }

  /** The forms with a grammar of their own, then {@code name TO value}. */
  private Plan special(int i, boolean local) {
    if (tokens.isWord(i, "time") && tokens.isWord(i + 1, "zone")) {
      return parameter("timezone", i + 2, local);
    } else if (tokens.isWord(i, "names")) {
      return parameter("client_encoding", i + 1, local);
    } else if (tokens.isWord(i, "schema")) {
      return parameter("search_path", i + 1, local);
    } else if (tokens.isWord(i, "role") && !isAssignment(i + 1)) {
      return parameter("role", i + 1, local);
    } else if (tokens.isWord(i, "xml") && tokens.isWord(i + 1, "option")) {
      return parameter("xmloption", i + 2, local);
    }
    int name = i;
    while (i < tokens.size() && !isAssignment(i)) {
      if (tokens.isWord(i, "from") && tokens.isWord(i + 1, "current")) {
        throw ErrorCode.SQL_COMMAND.because("SET ... FROM CURRENT is not supported");
      }
      i++;
    }
    if (i == tokens.size() || i == name) {
      throw syntax(i);
    }
    return parameter(settingName(name, i), i + 1, local);
  }

  private boolean isAssignment(int i) {
    return tokens.isWord(i, "to") || tokens.isSymbol(i, "=");
  }

  private Plan parameter(String name, int from, boolean local) {
    List<String> values = new ArrayList<>();
    boolean byDefault =
        from + 1 == tokens.size()
            && (tokens.isWord(from, "default")
                || (name.equals("timezone") && tokens.isWord(from, "local")));
    if (!byDefault) {
      for (int i = from; i < tokens.size(); i++) {
        if (tokens.isSymbol(i, "-") && i + 1 < tokens.size()) {
          values.add("-" + value(++i));
        } else if (!tokens.isSymbol(i, ",")) {
          values.add(value(i));
        }
      }
      if (values.isEmpty() && name.equals("client_encoding")) {
        return new SessionCommand.SetParameter(name, List.of(), local);
      }
      if (values.isEmpty()) {
        throw syntax(from);
      }
    }
    if (name.equals("search_path") && values.contains("pgconcord")) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("schema pgconcord cannot be searched");
    }
    return new SessionCommand.SetParameter(name, values, local);
  }

  private String value(int i) {
    if (tokens.kind(i).isName()) {
      return Names.of(tokens, i);
    }
    return tokens.kind(i).isString()
        ? LiteralText.of(tokens, i).orElseThrow(() -> syntax(i))
        : tokens.text(i);
  }

  private Plan reset() {
    if (tokens.isWord(1, "session") && tokens.isWord(2, "authorization")) {
      throw ErrorCode.SQL_COMMAND.because("RESET SESSION AUTHORIZATION is not supported");
    }
    return new SessionCommand.Reset(settingName(1, tokens.size()));
  }

  /** A setting's name, its parts joined by dots; the forms of several words by their one name. */
  private String settingName(int from, int to) {
    if (from >= to) {
      throw syntax(from);
    }
    if (tokens.isWord(from, "time") && tokens.isWord(from + 1, "zone")) {
      return "timezone";
    } else if (tokens.isWord(from, "transaction") && tokens.isWord(from + 1, "isolation")) {
      return "transaction_isolation";
    } else if (tokens.isWord(from, "session") && tokens.isWord(from + 1, "authorization")) {
      return "session_authorization";
    }
    StringBuilder name = new StringBuilder();
    for (int i = from; i < to; i++) {
      if (tokens.isSymbol(i, ".")) {
        name.append('.');
      } else if (tokens.kind(i).isName() && (i == from || tokens.isSymbol(i - 1, "."))) {
        name.append(Names.of(tokens, i).toLowerCase(Locale.ROOT));
      } else {
        throw syntax(i);
      }
    }
    return name.toString();
  }

  private Plan deallocate() {
    if (!tokens.isWord(0, "deallocate")) {
      throw ErrorCode.SQL_PREPARED_STATEMENT.because(
          "PREPARE and EXECUTE are not supported as SQL");
    }
    int name = tokens.isWord(1, "prepare") && tokens.size() > 2 ? 2 : 1;
    if (tokens.size() != name + 1 || !tokens.kind(name).isName()) {
      throw syntax(name);
    }
    return new SessionCommand.Deallocate(
        tokens.isWord(name, "all") ? Optional.empty() : Optional.of(Names.of(tokens, name)));
  }

  /** UNLISTEN, of one channel or of all. */
  static Plan unlisten(Tokens tokens) {
    if (tokens.size() != 2 || !(tokens.kind(1).isName() || tokens.text(1).equals("*"))) {
      throw new SessionPlans(tokens).syntax(1);
    }
    return new SessionCommand.Unlisten();
  }

  private Plan discard() {
    if (tokens.size() == 2 && tokens.isWord(1, "all")) {
      return new SessionCommand.DiscardAll();
    }
    throw ErrorCode.SQL_COMMAND.because("only DISCARD ALL is supported");
  }

  private org.pgconcord.config.error.ConcordException syntax(int i) {
    String near =
        i < tokens.size() && tokens.kind(i) != TokenKind.PARAMETER
            ? " at or near \"" + tokens.text(i) + "\""
            : " at end of input";
    return ErrorCode.SQL_SYNTAX.because("syntax error" + near);
  }
}
