package org.pgconcord.daemon.faults;

import java.util.List;
import java.util.Set;

/** Statements that change several rows, of members with an extended, covering index. */
enum FormStory implements CutStory {
  /** A row gets another key: two tokens, one of them on the entry that is to go. */
  COVERED_UPDATE {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          "UPDATE members SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
              .formatted(rows.email("y"), rows.home(), rows.user(0)));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "y"));
    }
  },

  /** A new row under a key of which a crash has left an entry with its token. */
  COVERED_TAKEOVER {
    @Override
    public List<String> surplus(CutRows rows) {
      return List.of(
          "INSERT INTO members_by_email (email, tenant_id, pgconcord_pending)"
              + " VALUES ('%s', %d, 'dead')".formatted(rows.email("x"), rows.away()));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "x"));
    }
  },

  /** A key goes to a tenant of the other shard, its entry marked meanwhile. */
  COVERED_MOVE {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rows.delete(rows.home(), 0), rows.insert(rows.away(), 1, "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.away(), 1, "x"));
    }

    @Override
    public boolean alwaysAtomic() {
      return true;
    }
  },

  /** One row gets another key, on the other shard a new one comes. */
  UPSERT {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.insert(rows.home(), 0, "y")
              + ", "
              + rows.values(rows.away(), 1, "z")
              + " ON CONFLICT (tenant_id, user_id) DO UPDATE SET email = EXCLUDED.email");
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "y"), rows.row(rows.away(), 1, "z"));
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(CutStory.set(rows.row(rows.home(), 0, "y")))
          || found.equals(
              CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.away(), 1, "z")));
    }
  },

  /** The row in the way is found by its key and gets another. */
  UPSERT_BY_KEY {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.insert(rows.home(), 1, "x")
              + " ON CONFLICT (email) DO UPDATE SET email = '%s'".formatted(rows.email("y")));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "y"));
    }
  },

  /** One row gets another key, one goes, one comes. */
  MERGE {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.home(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          """
          MERGE INTO members m
          USING (VALUES (%2$d, '%5$s'), (%3$d, ''), (%4$d, '%6$s')) v (id, email)
             ON m.tenant_id = %1$d AND m.user_id = v.id
           WHEN MATCHED AND v.email = '' THEN DELETE
           WHEN MATCHED THEN UPDATE SET email = v.email
           WHEN NOT MATCHED THEN
                INSERT (tenant_id, user_id, email, badge) VALUES (%1$d, v.id, v.email, NULL)
          """
              .formatted(
                  rows.home(),
                  rows.user(0),
                  rows.user(1),
                  rows.user(2),
                  rows.email("z"),
                  rows.email("w")));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "z"), rows.row(rows.home(), 2, "w"));
    }
  },

  /** A CTE takes a row away, another changes a key, the statement itself brings a row. */
  WRITING_CTE {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.home(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          """
          WITH gone AS (DELETE FROM members WHERE tenant_id = %1$d AND user_id = %2$d RETURNING 1),
               kept AS (UPDATE members SET email = '%5$s'
                         WHERE tenant_id = %1$d AND user_id = %3$d RETURNING 1)
          INSERT INTO members (tenant_id, user_id, email, badge) VALUES (%1$d, %4$d, '%6$s', NULL)
          """
              .formatted(
                  rows.home(),
                  rows.user(0),
                  rows.user(1),
                  rows.user(2),
                  rows.email("z"),
                  rows.email("w")));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 1, "z"), rows.row(rows.home(), 2, "w"));
    }
  },

  /** Rows of both shards by COPY. */
  COPY {
    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          "COPY members (tenant_id, user_id, email, badge) FROM STDIN\n"
              + line(rows, rows.home(), 0, "x")
              + line(rows, rows.away(), 1, "y")
              + line(rows, rows.home(), 2, "z"));
    }

    private String line(CutRows rows, long tenant, int which, String email) {
      return "%d\t%d\t%s\t\\N\n".formatted(tenant, rows.user(which), rows.email(email));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(
          rows.row(rows.home(), 0, "x"),
          rows.row(rows.away(), 1, "y"),
          rows.row(rows.home(), 2, "z"));
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(CutStory.set(rows.row(rows.away(), 1, "y")))
          || found.equals(
              CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.home(), 2, "z")));
    }
  },

  /** Rows of both shards, named by their keys, get other keys. */
  UPDATE_BY_KEYS {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.away(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rekey(rows, "z", "w"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "z"), rows.row(rows.away(), 1, "w"));
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(
              CutStory.set(rows.row(rows.home(), 0, "z"), rows.row(rows.away(), 1, "y")))
          || found.equals(
              CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.away(), 1, "w")));
    }
  },

  /** The same with each other's keys. */
  EXCHANGE_BY_KEYS {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.away(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rekey(rows, "y", "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "y"), rows.row(rows.away(), 1, "x"));
    }

    @Override
    public boolean alwaysAtomic() {
      return true;
    }
  },

  /** Rows of both shards, named by their keys, go. */
  DELETE_BY_KEYS {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.away(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          "DELETE FROM members WHERE email IN ('%s', '%s')"
              .formatted(rows.email("x"), rows.email("y")));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set();
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(CutStory.set(rows.row(rows.home(), 0, "x")))
          || found.equals(CutStory.set(rows.row(rows.away(), 1, "y")));
    }
  },

  /** New rows on both shards, each with a number of a block of its own. */
  NUMBERED {
    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          "INSERT INTO members (tenant_id, user_id, email)"
              + " VALUES (%d, %d, '%s'), (%d, %d, '%s')"
                  .formatted(
                      rows.home(),
                      rows.user(0),
                      rows.email("x"),
                      rows.away(),
                      rows.user(1),
                      rows.email("y")));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.away(), 1, "y"));
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(CutStory.set(rows.row(rows.home(), 0, "x")))
          || found.equals(CutStory.set(rows.row(rows.away(), 1, "y")));
    }
  };

  private static String rekey(CutRows rows, String first, String second) {
    return "UPDATE members SET email = CASE email WHEN '%1$s' THEN '%3$s' ELSE '%4$s' END"
            .formatted(rows.email("x"), rows.email("y"), rows.email(first), rows.email(second))
        + " WHERE email IN ('%s', '%s')".formatted(rows.email("x"), rows.email("y"));
  }

  @Override
  public Table table() {
    return Table.MEMBERS;
  }
}
