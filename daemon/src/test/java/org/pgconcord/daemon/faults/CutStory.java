package org.pgconcord.daemon.faults;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** One transaction of a client, as often as it is cut: each time with rows of its own. */
enum CutStory {
  /** A new row with its entry. */
  INSERT(Kind.USERS) {
    @Override
    List<String> statements(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 0, "x"));
    }
  },

  /** A row goes and its entry with it. */
  DELETE(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(rows.delete(rows.home(), 0));
    }

    @Override
    Set<String> after(Rows rows) {
      return set();
    }
  },

  /** A row gets another key. */
  UPDATE(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(
          "UPDATE users SET email = '%s' WHERE tenant_id = %d AND user_id = %d"
              .formatted(rows.email("y"), rows.home(), rows.user(0)));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 0, "y"));
    }
  },

  /** A new row whose key has an entry of another tenant, left there by some crash. */
  TAKEOVER(Kind.USERS) {
    @Override
    List<String> surplus(Rows rows) {
      return List.of(
          "INSERT INTO users_by_email (email, tenant_id) VALUES ('%s', %d)"
              .formatted(rows.email("x"), rows.away()));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 0, "x"));
    }
  },

  /** A row goes and another of its tenant comes with its key. */
  REPLACE(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(rows.delete(rows.home(), 0), rows.insert(rows.home(), 1, "x"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 1, "x"));
    }
  },

  /** A key goes to a tenant of the other shard: in two phases, whatever the mode. */
  MOVE(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(rows.delete(rows.home(), 0), rows.insert(rows.away(), 1, "x"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.away(), 1, "x"));
    }

    @Override
    boolean alwaysAtomic() {
      return true;
    }
  },

  /** Two tenants on two shards get each other's key. */
  SWAP(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"), rows.insert(rows.away(), 1, "y"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(
          rows.delete(rows.home(), 0),
          rows.delete(rows.away(), 1),
          rows.insert(rows.home(), 2, "y"),
          rows.insert(rows.away(), 3, "x"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 2, "y"), rows.row(rows.away(), 3, "x"));
    }

    @Override
    boolean alwaysAtomic() {
      return true;
    }
  },

  /** One new row on each shard, and one that goes. */
  TWO_SHARDS(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(
          rows.insert(rows.home(), 1, "y"),
          rows.insert(rows.away(), 2, "z"),
          rows.delete(rows.home(), 0));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 1, "y"), rows.row(rows.away(), 2, "z"));
    }

    @Override
    boolean partly(Rows rows, Set<String> found) {
      return found.equals(set(rows.row(rows.home(), 1, "y")));
    }
  },

  /** What was written after a savepoint goes, on both shards; something else comes. */
  SAVEPOINT(Kind.USERS) {
    @Override
    List<String> statements(Rows rows) {
      return List.of(
          rows.insert(rows.home(), 0, "x"),
          "SAVEPOINT s",
          rows.insert(rows.away(), 1, "y"),
          rows.delete(rows.home(), 0),
          "ROLLBACK TO s",
          rows.insert(rows.home(), 2, "y"));
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 0, "x"), rows.row(rows.home(), 2, "y"));
    }
  },

  /** A row on every copy of a reference table. */
  REFERENCE(Kind.COUNTRIES) {
    @Override
    List<String> statements(Rows rows) {
      return List.of("INSERT INTO countries VALUES ('%s', 'cut')".formatted(rows.code()));
    }

    @Override
    Set<String> after(Rows rows) {
      return set();
    }
  },

  /** Two new rows on two shards, one of which is left out: its key is another row's. */
  UNLESS_TAKEN(Kind.USERS) {
    @Override
    List<String> before(Rows rows) {
      return List.of(rows.insert(rows.home(), 0, "x"));
    }

    @Override
    List<String> statements(Rows rows) {
      return List.of(
          rows.insert(rows.away(), 1, "x") + " ON CONFLICT (email) DO NOTHING",
          rows.insert(rows.home(), 2, "y") + " ON CONFLICT (email) DO NOTHING");
    }

    @Override
    Set<String> after(Rows rows) {
      return set(rows.row(rows.home(), 0, "x"), rows.row(rows.home(), 2, "y"));
    }
  };

  /** Which table the story is about. */
  enum Kind {
    USERS,
    COUNTRIES
  }

  private final Kind kind;

  CutStory(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /** What has to be there, written in order. */
  List<String> before(Rows rows) {
    return List.of();
  }

  /** What is put into the lookup table behind every router's back. */
  List<String> surplus(Rows rows) {
    return List.of();
  }

  abstract List<String> statements(Rows rows);

  /** The rows of the story when all of it has happened. */
  abstract Set<String> after(Rows rows);

  /** Whether these rows are what the first of two commits leaves without the second. */
  boolean partly(Rows rows, Set<String> found) {
    return false;
  }

  boolean alwaysAtomic() {
    return false;
  }

  private static Set<String> set(String... rows) {
    return new TreeSet<>(List.of(rows));
  }

  /**
   * The rows of one run.
   *
   * @param home a tenant on the shard that the case is about
   * @param away one on the other
   * @param number of the run; no other run has it
   */
  record Rows(long home, long away, long number) {
    /** User ids of one run. */
    static final int STEP = 10;

    private static final int LETTERS = 36;

    long user(int which) {
      return number * STEP + which;
    }

    String email(String which) {
      return "cut" + number + which + "@example.org";
    }

    /** Of a country that is in no list. */
    String code() {
      long rest = number % (LETTERS * LETTERS);
      return Character.toString(letter(rest / LETTERS)) + letter(rest % LETTERS);
    }

    private static char letter(long which) {
      return Character.forDigit((int) which, LETTERS);
    }

    String insert(long tenant, int which, String email) {
      return "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, %d, '%s')"
          .formatted(tenant, user(which), email(email));
    }

    String delete(long tenant, int which) {
      return "DELETE FROM users WHERE tenant_id = %d AND user_id = %d"
          .formatted(tenant, user(which));
    }

    /** A row as the checks read it. */
    String row(long tenant, int which, String email) {
      return tenant + "/" + user(which) + "/" + email(email);
    }
  }
}
