package org.pgconcord.testkit.cluster;

import java.nio.file.Path;

/** The texts of {@code postgresql.conf} and {@code pg_hba.conf} of an embedded shard. */
final class ServerFiles {
  /** Longest path of a socket that every kernel takes (unix(7): 108 bytes with the final zero). */
  private static final int SOCKET_PATH_LIMIT = 107;

  private ServerFiles() {}

  /**
   * The data are thrown away with the shard, and a killed process loses nothing that the kernel has
   * taken: only a machine that stops would. So nothing is flushed to disk unless {@code durable}.
   */
  static String configuration(int port, Path socketDirectory, boolean durable) {
    String sockets = socketsFit(socketDirectory, port) ? socketDirectory.toString() : "";
    String flush = durable ? "on" : "off";
    return """
        listen_addresses = '127.0.0.1'
        port = %d
        unix_socket_directories = '%s'
        wal_level = logical
        max_replication_slots = 32
        max_wal_senders = 32
        max_prepared_transactions = 32
        max_connections = 300
        shared_buffers = 128MB
        max_wal_size = 2GB
        fsync = %s
        full_page_writes = %s
        password_encryption = 'scram-sha-256'
        timezone = 'UTC'
        log_timezone = 'UTC'
        log_line_prefix = '%%m [%%p] %%q%%u@%%d '
        log_min_messages = warning
        log_checkpoints = off
        """
        .formatted(port, sockets.replace("'", "''"), flush, flush);
  }

  static boolean socketsFit(Path socketDirectory, int port) {
    return socketDirectory.resolve(".s.PGSQL." + port + ".lock").toString().length()
        <= SOCKET_PATH_LIMIT;
  }

  static String hostAccess(Authentication authentication) {
    String method = authentication.method();
    return """
        local all         all              %1$s
        host  all         all 127.0.0.1/32 %1$s
        local replication all              %1$s
        host  replication all 127.0.0.1/32 %1$s
        """
        .formatted(method);
  }
}
