package org.pgconcord.router.analyse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.pgconcord.router.analyse.FunctionCalls.Call;

/**
 * What is known of a function by its name. The list of PostgreSQL's own comes from servers of the
 * oldest and newest version ({@code router/scripts/functions.sh}): a name counts as read-only only
 * when every function of that name is immutable or stable on both.
 *
 * <p>A user's function in another schema with a built-in's name is chosen by PostgreSQL only when
 * its argument types fit better, or when the search path puts that schema first; the latter is
 * asked for, and {@link UserCodeUses} takes names that users have given for theirs.
 */
public final class KnownFunctions {
  /** Volatile, but without any effect, and not in need of a particular server. */
  private static final Set<String> HARMLESS =
      Set.of(
          "clock_timestamp",
          "gen_random_uuid",
          "random",
          "random_normal",
          "statement_timestamp",
          "timeofday",
          "uuidv4",
          "uuidv7",
          "version");

  /** Prefixes of functions that change or read a session's state, or files. */
  private static final Set<String> SESSION_PREFIXES =
      Set.of("pg_advisory_", "pg_try_advisory_", "lo_", "dblink", "pg_replication_origin_");

  /** Functions that do so, or that run SQL given as text or by naming relations as text. */
  private static final Set<String> SESSION =
      Set.of(
          "currval",
          "cursor_to_xml",
          "cursor_to_xmlschema",
          "database_to_xml",
          "database_to_xml_and_xmlschema",
          "database_to_xmlschema",
          "lastval",
          "loread",
          "lowrite",
          "pg_export_snapshot",
          "pg_notify",
          "query_to_xml",
          "query_to_xml_and_xmlschema",
          "query_to_xmlschema",
          "schema_to_xml",
          "schema_to_xml_and_xmlschema",
          "schema_to_xmlschema",
          "set_config",
          "setseed",
          "table_to_xml",
          "table_to_xml_and_xmlschema",
          "table_to_xmlschema",
          "ts_rewrite",
          "ts_stat");

  /**
   * The helpers of the information schema, all immutable or stable; drivers' metadata calls them.
   */
  private static final Set<String> INFORMATION_SCHEMA =
      Set.of(
          "_pg_char_max_length",
          "_pg_char_octet_length",
          "_pg_datetime_precision",
          "_pg_expandarray",
          "_pg_index_position",
          "_pg_interval_type",
          "_pg_numeric_precision",
          "_pg_numeric_precision_radix",
          "_pg_numeric_scale",
          "_pg_truetypid",
          "_pg_truetypmod");

  private static final Map<String, String> KINDS = load();

  private KnownFunctions() {}

  /** How far a function can be trusted. */
  public enum Kind {
    /** Reads at most, the same on every server. */
    READ_ONLY,
    AGGREGATE,
    WINDOW,
    /** Volatile without any effect. */
    HARMLESS,
    /** PostgreSQL's own, and may write. */
    BUILT_IN,
    /** Depends on one server's session, or runs SQL that is not seen here. */
    SESSION,
    /** A user's, or an extension's. */
    UNKNOWN
  }

  /** {@code builtinsFirst}: an unqualified name means PostgreSQL's own function if it has one. */
  public static Kind kind(Call call, boolean builtinsFirst) {
    String name = call.name();
    if (isSession(name)) {
      return Kind.SESSION;
    }
    if (call.schema().equals("information_schema") && INFORMATION_SCHEMA.contains(name)) {
      return Kind.READ_ONLY;
    }
    boolean builtIn =
        call.schema().equals("pg_catalog") || (call.schema().isEmpty() && builtinsFirst);
    if (!builtIn) {
      return Kind.UNKNOWN;
    }
    if (HARMLESS.contains(name)) {
      return Kind.HARMLESS;
    }
    return switch (KINDS.getOrDefault(name, "")) {
      case "r" -> Kind.READ_ONLY;
      case "a" -> Kind.AGGREGATE;
      case "w" -> Kind.WINDOW;
      case "v" -> Kind.BUILT_IN;
      default -> grammar(name);
    };
  }

  private static boolean isSession(String name) {
    return SESSION.contains(name) || SESSION_PREFIXES.stream().anyMatch(name::startsWith);
  }

  /** Functions that the grammar knows by keyword. */
  private static Kind grammar(String name) {
    return switch (name) {
      case "current_time",
          "current_timestamp",
          "localtime",
          "localtimestamp",
          "json",
          "json_array",
          "json_object",
          "json_scalar",
          "json_serialize",
          "json_query",
          "json_value",
          "json_exists",
          "json_table",
          "xmltable",
          "xmlelement",
          "xmlforest",
          "xmlparse",
          "xmlpi",
          "xmlroot",
          "xmlserialize",
          "xmlattributes",
          "xmlnamespaces",
          "xmlconcat",
          "xmlexists" ->
          Kind.READ_ONLY;
      case "json_arrayagg", "json_objectagg" -> Kind.AGGREGATE;
      default -> typeName(name) ? Kind.READ_ONLY : Kind.UNKNOWN;
    };
  }

  /** A type with a modifier, where a cast is not recognised as one. */
  private static boolean typeName(String name) {
    return Set.of("char", "character", "decimal", "varying").contains(name);
  }

  private static Map<String, String> load() {
    Map<String, String> kinds = new HashMap<>();
    try (InputStream in = KnownFunctions.class.getResourceAsStream("functions.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int blank = line.indexOf(' ');
        kinds.put(line.substring(0, blank), line.substring(blank + 1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.copyOf(kinds);
  }
}
