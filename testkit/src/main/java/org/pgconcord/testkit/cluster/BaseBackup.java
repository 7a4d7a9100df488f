package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.pgconcord.config.value.Identifiers;

/**
 * A copy of a running server's data that becomes its streaming replica, by the low-level API of the
 * PostgreSQL manual ("Making a Base Backup Using the Low Level API"): the embedded binaries bring
 * no pg_basebackup. A physical slot keeps the log that the copy needs until it streams.
 */
final class BaseBackup {
  /** Of this server alone; the replica gets empty folders for those that it needs. */
  private static final Set<String> OWN_FOLDERS =
      Set.of(
          "pg_wal",
          "pg_replslot",
          "pg_dynshmem",
          "pg_notify",
          "pg_serial",
          "pg_snapshots",
          "pg_stat_tmp",
          "pg_subtrans");

  private static final Set<String> OWN_FILES = Set.of("postmaster.pid", "postmaster.opts");

  private final Connection superuser;
  private final Runner runner;

  /** Runs a program as the user that the servers run as. */
  interface Runner {
    void run(List<String> command) throws IOException;
  }

  BaseBackup(Connection superuser, Runner runner) {
    this.superuser = superuser;
    this.runner = runner;
  }

  void take(Path from, Path to, String slot, String conninfo, Unprivileged unprivileged)
      throws IOException, SQLException {
    ask("SELECT pg_create_physical_replication_slot(%s, true)".formatted(literal(slot)));
    ask("SELECT pg_backup_start(%s, true)".formatted(literal(slot)));
    runner.run(List.of("mkdir", "-m", "700", to.toString()));
    copy(from, to);
    for (String folder : OWN_FOLDERS) {
      runner.run(List.of("mkdir", "-m", "700", to.resolve(folder).toString()));
    }
    Path label = to.resolve("backup_label");
    Files.writeString(label, ask("SELECT labelfile FROM pg_backup_stop(false)"));
    Path signal = to.resolve("standby.signal");
    Files.writeString(signal, "");
    Files.writeString(
        to.resolve("postgresql.auto.conf"),
        "primary_conninfo = %s\nprimary_slot_name = %s\n"
            .formatted(literal(conninfo), literal(slot)),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    for (Path own : List.of(label, signal)) {
      unprivileged.giveAway(own);
    }
  }

  private void copy(Path from, Path to) throws IOException {
    List<String> command = new ArrayList<>(List.of("cp", "-r", "--preserve=mode"));
    try (Stream<Path> entries = Files.list(from)) {
      entries
          .filter(entry -> !OWN_FOLDERS.contains(entry.getFileName().toString()))
          .filter(entry -> !OWN_FILES.contains(entry.getFileName().toString()))
          .forEach(entry -> command.add(entry.toString()));
    }
    command.add(to.toString());
    runner.run(command);
  }

  private String ask(String sql) throws SQLException {
    try (Statement statement = superuser.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  private static String literal(String text) {
    return Identifiers.literal(text);
  }
}
