package org.pgconcord.router.plan;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.router.copy.CopyFormat;
import org.pgconcord.router.sql.CopyStatement;

/**
 * The options of a COPY, as far as they say how its data is written. What PostgreSQL refuses about
 * them it refuses itself; here only what cannot be followed is.
 */
final class CopyOptions {
  private static final Set<String> KNOWN =
      Set.of(
          "format",
          "freeze",
          "delimiter",
          "null",
          "default",
          "header",
          "quote",
          "escape",
          "force_quote",
          "force_not_null",
          "force_null",
          "encoding",
          "on_error",
          "log_verbosity");

  private final CopyStatement copy;

  CopyOptions(CopyStatement copy) {
    this.copy = copy;
    for (String option : copy.options().keySet()) {
      if (!KNOWN.contains(option)) {
        throw ErrorCode.SQL_COPY.because(
            "option %s of COPY over several shards".formatted(option.toUpperCase(Locale.ROOT)));
      }
    }
    String encoding = copy.text("encoding").orElse("UTF8").replace("-", "").replace("_", "");
    if (!encoding.equalsIgnoreCase("UTF8") && !encoding.equalsIgnoreCase("UNICODE")) {
      throw ErrorCode.SQL_COPY.because("COPY over several shards in another encoding than UTF8");
    }
  }

  /** A row that a shard may pass over has no place: its key could not be converted either. */
  void requireSplittable() {
    if (!copy.text("on_error").orElse("stop").equalsIgnoreCase("stop")) {
      throw ErrorCode.SQL_COPY.because("ON_ERROR on a sharded table");
    }
  }

  /** What cannot be said by INSERT. */
  void requireInsertable(TableSchema schema, List<String> columns) {
    if (copy.where().isPresent()) {
      throw ErrorCode.SQL_COPY.because(
          "COPY with WHERE into %s, the rows of which go by INSERT".formatted(schema.name()));
    } else if (!copy.text("freeze").orElse("off").matches("(?i)off|false|0")) {
      throw ErrorCode.SQL_COPY.because(
          "COPY with FREEZE into %s, the rows of which go by INSERT".formatted(schema.name()));
    }
    // An interval of some fields only reads '1' by its modifier, which no parameter has.
    schema.columns().stream()
        .filter(c -> columns.contains(c.name()) && c.type().startsWith("interval "))
        .findFirst()
        .ifPresent(
            column -> {
              throw ErrorCode.SQL_COPY.because(
                  "COPY into column \"%s\" of type %s of %s, the rows of which go by INSERT"
                      .formatted(column.name(), column.type(), schema.name()));
            });
  }

  CopyFormat format() {
    CopyFormat.Kind kind =
        switch (copy.text("format").orElse("text")) {
          case "text" -> CopyFormat.Kind.TEXT;
          case "csv" -> CopyFormat.Kind.CSV;
          case "binary" -> CopyFormat.Kind.BINARY;
          default ->
              throw ErrorCode.SQL_COPY.because(
                  "COPY format \"%s\" is not known".formatted(copy.text("format").orElse("")));
        };
    boolean csv = kind == CopyFormat.Kind.CSV;
    char quote = one("quote", '"');
    return new CopyFormat(
        kind,
        one("delimiter", csv ? ',' : '\t'),
        copy.text("null").orElse(csv ? "" : "\\N"),
        Optional.ofNullable(copy.options().get("default")).map(CopyStatement.Option::text),
        header(),
        quote,
        one("escape", quote),
        columns("force_not_null"),
        columns("force_null"),
        true);
  }

  /** Columns that are quoted in any case; {@code *} for all. */
  Set<String> forceQuote() {
    CopyStatement.Option value = copy.options().get("force_quote");
    if (value == null) {
      return Set.of();
    }
    return value.text().equals("*") ? Set.of("*") : Set.copyOf(value.columns());
  }

  private char one(String option, char otherwise) {
    String text = copy.text(option).orElse(String.valueOf(otherwise));
    if (text.length() != 1 || text.charAt(0) >= 0x80) {
      throw ErrorCode.SQL_COPY.because(
          "COPY %s must be a single one-byte character".formatted(option));
    }
    return text.charAt(0);
  }

  /** {@code MATCH} is a header as well. */
  private boolean header() {
    if (!copy.options().containsKey("header")) {
      return false;
    }
    String text = copy.text("header").orElse("").toLowerCase(Locale.ROOT);
    return switch (text) {
      case "", "true", "on", "1", "match" -> true;
      case "false", "off", "0" -> false;
      default -> throw ErrorCode.SQL_COPY.because("COPY HEADER of several lines or another value");
    };
  }

  private CopyFormat.Columns columns(String option) {
    CopyStatement.Option value = copy.options().get(option);
    if (value == null) {
      return CopyFormat.Columns.NONE;
    }
    return value.text().equals("*")
        ? CopyFormat.Columns.ALL
        : new CopyFormat.Columns(Set.copyOf(value.columns()), false);
  }
}
