package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.SessionCommand.SetConfig;
import org.pgconcord.router.sql.LiteralText;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Recognises {@code SELECT set_config('name', value, local), ...}: how pools, dump tools and
 * middleware set what a session's statements depend on. Arguments are constants or parameters, and
 * {@code current_setting} may stand between the calls; in any other place {@code set_config} is
 * refused like other functions that change a session, since it would change one backend's settings
 * alone.
 */
final class SettingCalls {
  private static final String SET = "set_config";
  private static final String ASK = "current_setting";

  private final Tokens tokens;
  private final List<SetConfig.Setting> settings = new ArrayList<>();
  private int at = 1;

  private SettingCalls(Tokens tokens) {
    this.tokens = tokens;
  }

  static Optional<SetConfig> of(StatementText text, PlanContext context) {
    SettingCalls calls = new SettingCalls(text.tokens());
    if (!calls.begins() || !calls.list() || calls.settings.isEmpty()) {
      return Optional.empty();
    }
    PlanInput input = PlanInput.of(text, context);
    boolean builtIn = input.calls().stream().allMatch(c -> !c.schema().isEmpty());
    if (!builtIn && !input.names().builtinsFirst()) {
      return Optional.empty();
    }
    calls.settings.forEach(SettingCalls::refuseSystemSchema);
    return Optional.of(new SetConfig(calls.settings));
  }

  /** As SET search_path does. */
  private static void refuseSystemSchema(SetConfig.Setting setting) {
    if (setting.name().text().filter("search_path"::equalsIgnoreCase).isPresent()
        && setting.value().text().filter(v -> v.contains("pgconcord")).isPresent()) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("schema pgconcord cannot be searched");
    }
  }

  /** Costs next to nothing for all other statements. */
  private boolean begins() {
    int name = tokens.isWord(1, "pg_catalog") ? 3 : 1;
    return tokens.isWord(0, "select")
        && tokens.isAnyWord(name, SET, ASK)
        && tokens.isSymbol(name + 1, "(");
  }

  private boolean list() {
    do {
      if (!call()) {
        return false;
      }
      label();
    } while (take(","));
    return at == tokens.size();
  }

  private boolean call() {
    if (tokens.isWord(at, "pg_catalog") && tokens.isSymbol(at + 1, ".")) {
      at += 2;
    }
    boolean sets = tokens.isWord(at, SET);
    if (!(sets || tokens.isWord(at, ASK)) || !tokens.isSymbol(at + 1, "(")) {
      return false;
    }
    at += 2;
    List<SetConfig.Argument> arguments = new ArrayList<>();
    do {
      Optional<SetConfig.Argument> argument = argument();
      if (argument.isEmpty()) {
        return false;
      }
      arguments.add(argument.get());
    } while (take(","));
    if (sets && arguments.size() == 3) {
      settings.add(new SetConfig.Setting(arguments.get(0), arguments.get(1), arguments.get(2)));
    }
    return take(")") && (!sets || arguments.size() == 3);
  }

  /** Drivers that put values into the text themselves write parentheses around them. */
  private Optional<SetConfig.Argument> argument() {
    Optional<SetConfig.Argument> argument;
    if (take("(")) {
      argument = argument().filter(inner -> take(")"));
    } else {
      argument = at < tokens.size() ? value() : Optional.empty();
      at++;
    }
    if (argument.isPresent() && tokens.isSymbol(at, "::")) {
      boolean text = tokens.isAnyWord(at + 1, "text", "varchar", "boolean", "bool");
      at += 2;
      return text ? argument : Optional.empty();
    }
    return argument;
  }

  private Optional<SetConfig.Argument> value() {
    return switch (tokens.kind(at)) {
      case PARAMETER ->
          Optional.of(
              new SetConfig.Argument(
                  Optional.empty(), Integer.parseInt(tokens.text(at).substring(1))));
      case STRING, ESCAPE_STRING, DOLLAR_STRING -> constant(LiteralText.of(tokens, at));
      case WORD -> word();
      default -> Optional.empty();
    };
  }

  private Optional<SetConfig.Argument> word() {
    if (tokens.isAnyWord(at, "true", "false")) {
      return constant(Optional.of(Names.of(tokens, at)));
    }
    return tokens.isWord(at, "null")
        ? Optional.of(new SetConfig.Argument(Optional.empty(), 0))
        : Optional.empty();
  }

  private static Optional<SetConfig.Argument> constant(Optional<String> text) {
    return text.map(t -> new SetConfig.Argument(Optional.of(t), 0));
  }

  private void label() {
    if (tokens.isWord(at, "as")) {
      at += 2;
    } else if (at < tokens.size() && tokens.kind(at).isName()) {
      at++;
    }
  }

  private boolean take(String symbol) {
    if (tokens.isSymbol(at, symbol)) {
      at++;
      return true;
    }
    return false;
  }
}
