package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;

/**
 * Creates schema {@code pgconcord} and its tables where they are missing. Every call may be made
 * again and by several daemons at once: {@code IF NOT EXISTS} alone is no protection (two creators
 * of one name can both find it missing, and the loser fails on the catalog's unique index), so all
 * creators of a database first queue on one advisory lock, which the transaction's end releases.
 */
public final class CatalogInstaller {
  /** "pgconcord" in the letters' own codes, cut to 64 bits. */
  private static final long INSTALL_LOCK = 0x7067_636F_6E63_6F72L;

  private static final String SCHEMA_EXISTS =
      "SELECT pg_catalog.to_regnamespace('pgconcord') IS NOT NULL";

  private CatalogInstaller() {}

  /** On the authoritative shard, in the catalog database; the connection is left in autocommit. */
  public static void installCatalog(Connection connection) {
    install(
        connection,
        CatalogSql.CATALOG_TABLES,
        List.of(CatalogSql.FIRST_CLUSTER, CatalogSql.NEWEST_FORMAT));
  }

  /** On a shard, in one logical database where no table is fenced. */
  public static void installShard(Connection connection) {
    installShard(connection, List.of());
  }

  /**
   * On a shard, in one logical database: the streams' progress, and the fences of the tables that
   * have rows there. An existing fence keeps its epoch.
   */
  public static void installShard(Connection connection, Collection<FencedTable> fenced) {
    List<String> statements = new ArrayList<>(CatalogSql.SHARD_TABLES);
    if (!fenced.isEmpty()) {
      statements.addAll(CatalogSql.FENCE_FUNCTION);
      fenced.forEach(
          table ->
              statements.add(
                  "CREATE SEQUENCE IF NOT EXISTS pgconcord."
                      + Identifiers.quote(table.sequence())
                      + " MINVALUE 0 START 0"));
    }
    install(connection, statements, List.of());
  }

  /** Whether a daemon of this version or a later one has made, or brought up to date, a catalog. */
  public static boolean isUpToDate(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet there =
          statement.executeQuery("SELECT pg_catalog.to_regclass('pgconcord.cluster') IS NULL")) {
        if (there.next() && there.getBoolean(1)) {
          return false;
        }
      }
      try (ResultSet row = statement.executeQuery("SELECT format FROM pgconcord.cluster")) {
        return row.next() && row.getInt(1) >= CatalogSql.FORMAT;
      }
    }
  }

  private static void install(Connection connection, List<String> tables, List<String> rows) {
    try {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        lock(connection);
        if (!exists(statement)) {
          // Not IF NOT EXISTS: that asks for the right to create even when there is nothing to do.
          statement.execute("CREATE SCHEMA pgconcord");
        }
        for (String table : tables) {
          statement.execute(table);
        }
        for (String row : rows) {
          statement.execute(row);
        }
        connection.commit();
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw ErrorCode.CATALOG_NOT_INSTALLED
          .because("schema pgconcord cannot be created")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }

  private static void lock(Connection connection) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement("SELECT pg_catalog.pg_advisory_xact_lock(?)")) {
      lock.setLong(1, INSTALL_LOCK);
      lock.execute();
    }
  }

  private static boolean exists(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(SCHEMA_EXISTS)) {
      return row.next() && row.getBoolean(1);
    }
  }
}
