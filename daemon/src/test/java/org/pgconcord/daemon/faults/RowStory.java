package org.pgconcord.daemon.faults;

import java.util.List;
import java.util.Set;

/** Writes of single rows, of users with a strict index and of a reference table. */
enum RowStory implements CutStory {
  /** A new row with its entry. */
  INSERT(Table.USERS) {
    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "x"));
    }
  },

  /** A row goes and its entry with it. */
  DELETE(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rows.delete(rows.home(), 0));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set();
    }
  },

  /** A row gets another key. */
  UPDATE(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          "UPDATE users SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
              .formatted(rows.email("y"), rows.home(), rows.user(0)));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "y"));
    }
  },

  /** A new row whose key has an entry of another tenant, left there by some crash. */
  TAKEOVER(Table.USERS) {
    @Override
    public List<String> surplus(CutRows rows) {
      return List.of(
          "INSERT INTO users_by_email (email, tenant_id) VALUES ('%s', %d)"
              .formatted(rows.email("x"), rows.away()));
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

  /** A row goes and another of its tenant comes with its key. */
  REPLACE(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(rows.delete(rows.home(), 0), rows.insert(rows.home(), 1, "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 1, "x"));
    }
  },

  /** A key goes to a tenant of the other shard: in two phases, whatever the mode. */
  MOVE(Table.USERS) {
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

  /** Two tenants on two shards get each other's key. */
  SWAP(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.away(), 1, "y"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.delete(rows.home(), 0),
          rows.delete(rows.away(), 1),
          rows.insert(rows.home(), 2, "y"),
          rows.insert(rows.away(), 3, "x"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 2, "y"), rows.row(rows.away(), 3, "x"));
    }

    @Override
    public boolean alwaysAtomic() {
      return true;
    }
  },

  /** One new row on each shard, and one that goes. */
  TWO_SHARDS(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.insert(rows.home(), 1, "y"),
          rows.insert(rows.away(), 2, "z"),
          rows.delete(rows.home(), 0));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 1, "y"), rows.row(rows.away(), 2, "z"));
    }

    @Override
    public boolean partly(CutRows rows, Set<String> found) {
      return found.equals(CutStory.set(rows.row(rows.home(), 1, "y")));
    }
  },

  /** What was written after a savepoint goes, on both shards; something else comes. */
  SAVEPOINT(Table.USERS) {
    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.insert(rows.home(), 0, "x"),
          "SAVEPOINT s",
          rows.insert(rows.away(), 1, "y"),
          rows.delete(rows.home(), 0),
          "ROLLBACK TO s",
          rows.insert(rows.home(), 2, "y"));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.home(), 2, "y"));
    }
  },

  /** A row on every copy of a reference table. */
  REFERENCE(Table.COUNTRIES) {
    @Override
    public List<String> statements(CutRows rows) {
      return List.of("INSERT INTO countries VALUES ('%s', 'cut')".formatted(rows.code()));
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set();
    }
  },

  /** Two new rows on two shards, one of which is left out: its key is another row's. */
  UNLESS_TAKEN(Table.USERS) {
    @Override
    public List<String> before(CutRows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    public List<String> statements(CutRows rows) {
      return List.of(
          rows.insert(rows.away(), 1, "x") + " ON CONFLICT (email) DO NOTHING",
          rows.insert(rows.home(), 2, "y") + " ON CONFLICT (email) DO NOTHING");
    }

    @Override
    public Set<String> after(CutRows rows) {
      return CutStory.set(rows.row(rows.home(), 0, "x"), rows.row(rows.home(), 2, "y"));
    }
  };

  private final Table table;

  RowStory(Table table) {
    this.table = table;
  }

  @Override
  public Table table() {
    return table;
  }
}
