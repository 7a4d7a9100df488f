package org.pgconcord.cdc.source;

import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.config.value.TableName;

/** Debezium's property names, written once. */
final class DebeziumProperties {
  private DebeziumProperties() {}

  /**
   * @param run differs between all engines of this process, those that end while others start among
   *     them: names of metrics are made of it, and a name that is taken holds a start up for a
   *     minute
   * @param placeholder what stands for an unchanged TOAST value: random, so that no row holds it
   */
  static Properties of(SourceSettings settings, String run, String placeholder) {
    Properties properties = new Properties();
    Map<String, String> all = new java.util.HashMap<>();
    all.putAll(engine(run));
    all.putAll(connection(settings));
    all.putAll(what(settings));
    all.putAll(values(placeholder));
    all.putAll(pace(settings));
    properties.putAll(all);
    return properties;
  }

  private static Map<String, String> engine(String run) {
    return Map.of(
        "name", run,
        "connector.class", "io.debezium.connector.postgresql.PostgresConnector",
        "offset.storage", RunOffsets.class.getName(),
        "offset.flush.interval.ms", "0",
        "topic.prefix", run,
        // Our own supervisor starts the engine again; a restart inside would hide the repetition.
        "errors.max.retries", "0",
        "record.processing.threads", "1",
        "record.processing.shutdown.timeout.ms", "2000",
        "task.management.timeout.ms", "60000");
  }

  /** What a role or database may set otherwise, and what the decoder relies on. */
  private static final String PINNED =
      "-c DateStyle=ISO -c IntervalStyle=postgres -c TimeZone=UTC -c extra_float_digits=1"
          + " -c bytea_output=hex";

  private static Map<String, String> connection(SourceSettings settings) {
    return Map.of(
        "database.hostname", settings.host(),
        "database.port", Integer.toString(settings.port()),
        "database.dbname", settings.database(),
        "database.user", settings.user(),
        "database.password", settings.password(),
        "database.sslmode", settings.sslmode(),
        "database.tcpKeepAlive", "true",
        "driver.options", PINNED,
        "slot.max.retries", "1",
        "slot.retry.delay.ms", "1000");
  }

  private static Map<String, String> what(SourceSettings settings) {
    return Map.of(
        "plugin.name", "pgoutput",
        "slot.name", settings.slot(),
        "slot.drop.on.stop", "false",
        "publication.name", settings.publication(),
        "publication.autocreate.mode", "disabled",
        "snapshot.mode", "no_data",
        "skipped.operations", "none",
        "provide.transaction.metadata", "true",
        "table.include.list", tables(settings),
        "column.include.list", columns(settings));
  }

  private static Map<String, String> values(String placeholder) {
    return Map.of(
        "unavailable.value.placeholder", placeholder,
        "tombstones.on.delete", "false",
        "include.unknown.datatypes", "true",
        "decimal.handling.mode", "string",
        "binary.handling.mode", "bytes",
        "time.precision.mode", "microseconds",
        "schema.refresh.mode", "columns_diff_exclude_unchanged_toast",
        "message.prefix.include.list", Fences.PREFIX);
  }

  /**
   * How long the engine sleeps when nothing came, and collects when something did. The last
   * millisecond of each such time it spins, and after each it asks the socket five times: at 10 ms
   * an idle stream takes 8 % of a core, at this 2 %. A change arrives on the average this much
   * later; how many arrive does not depend on it, since a full batch is handed on at once.
   */
  private static final int POLL_MILLIS = 50;

  private static Map<String, String> pace(SourceSettings settings) {
    return Map.of(
        "max.batch.size", "16384",
        "max.queue.size", "65536",
        "max.queue.size.in.bytes", Long.toString(24L << 20),
        "poll.interval.ms", Integer.toString(POLL_MILLIS),
        "status.update.interval.ms", "2000",
        "lsn.flush.mode", "connector",
        "heartbeat.interval.ms", Long.toString(settings.heartbeat().toMillis()),
        "heartbeat.action.query", Fences.HEARTBEAT_SQL,
        "xmin.fetch.interval.ms", "0");
  }

  private static String tables(SourceSettings settings) {
    return settings.columns().keySet().stream()
        .map(DebeziumProperties::pattern)
        .collect(Collectors.joining(","));
  }

  private static String columns(SourceSettings settings) {
    return settings.columns().entrySet().stream()
        .flatMap(
            e ->
                e.getValue().keySet().stream()
                    .map(column -> pattern(e.getKey()) + "\\." + quote(column)))
        .collect(Collectors.joining(","));
  }

  private static String pattern(TableName table) {
    return quote(table.schema()) + "\\." + quote(table.name());
  }

  /** A regular expression for exactly this name; a comma in it would end the list's element. */
  private static String quote(String name) {
    StringBuilder pattern = new StringBuilder();
    name.codePoints()
        .forEach(
            c -> {
              if (Character.isLetterOrDigit(c) || c == '_') {
                pattern.appendCodePoint(c);
              } else {
                pattern.append("\\x{").append(Integer.toHexString(c)).append('}');
              }
            });
    return pattern.toString();
  }
}
