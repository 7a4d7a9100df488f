package org.pgconcord.router.exec;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/** Statements by which one row of users gets or loses a key, other than INSERT, UPDATE, DELETE. */
enum WriteForm {
  COPY {
    @Override
    String gain(String tenant, int user, String from, String to) {
      return "COPY users (tenant_id, user_id, email) FROM STDIN\n%s\t%d\t%s\n"
          .formatted(tenant, user, to);
    }

    @Override
    boolean replaces() {
      return false;
    }
  },

  UPSERT {
    @Override
    String gain(String tenant, int user, String from, String to) {
      return ("INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
              + " ON CONFLICT (tenant_id, user_id) DO UPDATE SET email = EXCLUDED.email")
          .formatted(tenant, user, to);
    }
  },

  UPDATE_BY_KEY {
    @Override
    String gain(String tenant, int user, String from, String to) {
      return "UPDATE users SET email = '%s' WHERE email IN ('%s', 'nobody')".formatted(to, from);
    }

    @Override
    String lose(String tenant, int user, String key) {
      return "DELETE FROM users WHERE email IN ('%s', 'nobody')".formatted(key);
    }
  },

  MERGE {
    @Override
    String gain(String tenant, int user, String from, String to) {
      return merge(tenant, user, "UPDATE SET email = '" + to + "'");
    }

    @Override
    String lose(String tenant, int user, String key) {
      return merge(tenant, user, "DELETE");
    }

    private String merge(String tenant, int user, String action) {
      return ("MERGE INTO users u USING (VALUES (%d)) v (id)"
              + " ON u.tenant_id = %s AND u.user_id = v.id WHEN MATCHED THEN %s")
          .formatted(user, tenant, action);
    }
  },

  WRITING_CTE {
    @Override
    String gain(String tenant, int user, String from, String to) {
      return ("WITH w AS (UPDATE users SET email = '%s' WHERE tenant_id = %s AND user_id = %d"
              + " RETURNING 1) SELECT count(*) FROM w")
          .formatted(to, tenant, user);
    }

    @Override
    String lose(String tenant, int user, String key) {
      return ("WITH w AS (DELETE FROM users WHERE tenant_id = %s AND user_id = %d RETURNING 1)"
              + " SELECT count(*) FROM w")
          .formatted(tenant, user);
    }
  };

  /** The row gets the key {@code to}; it has {@code from} before, where it is there before. */
  abstract String gain(String tenant, int user, String from, String to);

  /** The row goes, and its key with it. */
  String lose(String tenant, int user, String key) {
    throw new IllegalStateException(this + " takes no row away");
  }

  /** Whether the row that gets a key is there before, under another. */
  boolean replaces() {
    return true;
  }

  /** Runs a statement; of a COPY the first line, with the others as its data. */
  static void run(Connection client, String sql) throws SQLException {
    if (!sql.startsWith("COPY ")) {
      try (Statement statement = client.createStatement()) {
        statement.execute(sql);
      }
      return;
    }
    int line = sql.indexOf('\n');
    try {
      new CopyManager(client.unwrap(BaseConnection.class))
          .copyIn(sql.substring(0, line), new StringReader(sql.substring(line + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of the data, which are in memory
    }
  }
}
