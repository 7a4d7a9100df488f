package org.pgconcord.router.exec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.plan.ParameterValue;
import org.pgconcord.router.plan.Parameters;
import org.pgconcord.router.plan.SessionCommand.SetConfig;
import org.pgconcord.router.session.SettingCall;
import org.pgconcord.router.session.SettingCommand;

/** What calls of {@code set_config} set, their parameters put in. */
final class SettingArguments {
  /** text, varchar, name, unknown, and not declared, which the server takes for text. */
  private static final Set<Integer> TEXTS = Set.of(25, 1043, 19, 705, 0);

  private static final int BOOL = 16;
  private final Parameters parameters;

  private SettingArguments(Parameters parameters) {
    this.parameters = parameters;
  }

  static List<SettingCall> calls(SetConfig command, Parameters parameters) {
    SettingArguments arguments = new SettingArguments(parameters);
    return command.settings().stream().map(arguments::call).toList();
  }

  private SettingCall call(SetConfig.Setting setting) {
    String name = text(setting.name()).orElse("").toLowerCase(Locale.ROOT);
    Optional<String> value = text(setting.value());
    boolean local = isTrue(setting.local());
    SettingCommand.Kind kind =
        local
            ? SettingCommand.Kind.SET_LOCAL
            : value.isPresent() ? SettingCommand.Kind.SET : SettingCommand.Kind.RESET;
    String repeat =
        "SELECT pg_catalog.set_config(%s, %s, %s)"
            .formatted(quoted(Optional.of(name)), quoted(value), local);
    return new SettingCall(new SettingCommand(kind, name, value.orElse("")), repeat);
  }

  private static String quoted(Optional<String> text) {
    return text.map(Identifiers::literal).orElse("NULL");
  }

  private Optional<String> text(SetConfig.Argument argument) {
    if (argument.parameter() == 0) {
      return argument.text();
    }
    ParameterValue value = value(argument.parameter());
    if (value.bytes() == null) {
      return Optional.empty();
    } else if (value.binary() && !TEXTS.contains(value.typeOid())) {
      throw refused("takes text");
    }
    return Optional.of(new String(value.bytes(), StandardCharsets.UTF_8));
  }

  private boolean isTrue(SetConfig.Argument argument) {
    if (argument.parameter() > 0) {
      ParameterValue value = value(argument.parameter());
      if (value.binary() && value.bytes() != null) {
        if (value.bytes().length != 1 || (value.typeOid() != BOOL && value.typeOid() != 0)) {
          throw refused("takes a boolean");
        }
        return value.bytes()[0] != 0;
      }
    }
    String word = text(argument).orElse("").strip().toLowerCase(Locale.ROOT);
    return !word.isEmpty()
        && ("true".startsWith(word)
            || "yes".startsWith(word)
            || word.equals("on")
            || word.equals("1"));
  }

  private ParameterValue value(int number) {
    if (number > parameters.count()) {
      throw refused("lacks a value for $" + number);
    }
    return parameters.value(number);
  }

  private static ConcordException refused(String why) {
    return ErrorCode.FUNCTION_SESSION_STATE.because("set_config() " + why);
  }
}
