package org.pgconcord.router.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.error.ErrorCode;

/**
 * What a session has set, and what each of its backends has yet to hear of it.
 *
 * <p><b>Invariant.</b> A backend outside a transaction whose {@link Cursor} is at the newest
 * version has the settings that one plain server would have after the same statements; so has a
 * backend inside the transaction once it has been told all of {@link #pending}. The server, not
 * this class, is the judge of values: only statements that the home backend has accepted come here,
 * and others are told the same text.
 *
 * <p><b>Why it holds.</b> Settings outside a transaction, and those of a committed one that were
 * not LOCAL, get growing versions; a name keeps its newest statement only, since SET and RESET
 * overwrite. Settings inside the transaction stand in {@link #pending} in the order made, LOCAL
 * ones too, and are told only to backends that have begun: the server itself undoes them at
 * ROLLBACK, and the LOCAL ones at COMMIT, exactly as for a single server. A backend that took part
 * but missed the last ones is put at the version of the last one it heard, so that the rest reaches
 * it later; what was LOCAL needs no telling by then. RESET ALL and DISCARD ALL clear the record and
 * come first for all who are older.
 *
 * <p><b>Savepoints</b> stand in the same order among what is pending, so that a backend which hears
 * of both late has each setting on the right side of each savepoint. ROLLBACK TO is for those that
 * have heard the savepoint: nothing was done since on the others. What stood behind it is dropped,
 * for the servers have undone it.
 */
public final class SettingsRecorder {
  private static final int NAMES_MAX = 1000;

  /** One backend's progress. A new backend starts at version 0 outside a transaction. */
  public static final class Cursor {
    private long version;
    private int heard;
    private boolean inTransaction;

    boolean inTransaction() {
      return inTransaction;
    }
  }

  private record Entry(long version, String sql) {}

  /**
   * @param savepoint the name of the savepoint that it sets, or empty for a setting
   */
  private record Pending(String savepoint, Optional<String> name, String sql, boolean local) {
    static Pending savepoint(String name) {
      return new Pending(name, Optional.empty(), "SAVEPOINT " + name, true);
    }

    static Pending setting(Optional<String> name, String sql, boolean local) {
      return new Pending("", name, sql, local);
    }

    boolean isSavepoint() {
      return !savepoint.isEmpty();
    }
  }

  private final List<Cursor> cursors = new ArrayList<>();
  private final Map<String, Entry> committed = new LinkedHashMap<>();
  private final List<Pending> pending = new ArrayList<>();
  private Entry reset = new Entry(0, "");
  private long version;

  /** The progress of a new backend. */
  public Cursor open() {
    Cursor cursor = new Cursor();
    cursors.add(cursor);
    return cursor;
  }

  public void close(Cursor cursor) {
    cursors.remove(cursor);
  }

  // --- what the session does -------------------------------------------------------------------

  /**
   * {@code by} has accepted {@code sql}, which sets or resets {@code name}. {@code by} must have
   * heard everything before.
   */
  public void set(Cursor by, String name, String sql, boolean local) {
    if (by.inTransaction) {
      pending.add(Pending.setting(Optional.of(name), sql, local));
      by.heard = pending.size();
    } else if (!local) {
      by.version = commit(name, sql);
    }
  }

  /** {@code by} has accepted RESET ALL (which a transaction may hold) or DISCARD ALL. */
  public void resetAll(Cursor by, String sql) {
    if (by.inTransaction) {
      pending.add(Pending.setting(Optional.empty(), sql, false));
      by.heard = pending.size();
    } else {
      by.version = commitReset(sql);
    }
  }

  private long commit(String name, String sql) {
    if (committed.size() >= NAMES_MAX && !committed.containsKey(name)) {
      throw ErrorCode.SETTING_REFUSED.because(
          "A session can set at most " + NAMES_MAX + " different settings.");
    }
    version++;
    committed.remove(name);
    committed.put(name, new Entry(version, sql));
    return version;
  }

  private long commitReset(String sql) {
    version++;
    committed.clear();
    reset = new Entry(version, sql);
    return version;
  }

  /** The backend has begun its part of the session's transaction. */
  public void begun(Cursor cursor) {
    cursor.inTransaction = true;
    cursor.heard = 0;
  }

  /** The transaction has a savepoint from here on, of a name that no other of it has. */
  public void savepoint(String name) {
    pending.add(Pending.savepoint(name));
  }

  /** The backend has set the savepoint, so that it must undo or release it too. */
  public boolean heard(Cursor cursor, String savepoint) {
    return cursor.inTransaction && cursor.heard > position(savepoint);
  }

  /** The backends that have heard the savepoint have undone what was done since. */
  public void rolledBackTo(String savepoint) {
    int end = position(savepoint) + 1;
    pending.subList(end, pending.size()).clear();
    cursors.forEach(cursor -> cursor.heard = Math.min(cursor.heard, end));
  }

  /** It and those after it are no more; what was set since stays. */
  public void released(String savepoint) {
    int from = position(savepoint);
    for (Cursor cursor : cursors) {
      cursor.heard -= savepoints(from, cursor.heard);
    }
    pending.subList(from, pending.size()).removeIf(Pending::isSavepoint);
  }

  private int savepoints(int from, int to) {
    return from >= to
        ? 0
        : (int) pending.subList(from, to).stream().filter(Pending::isSavepoint).count();
  }

  private int position(String savepoint) {
    for (int i = pending.size() - 1; i >= 0; i--) {
      if (pending.get(i).savepoint().equals(savepoint)) {
        return i;
      }
    }
    throw ErrorCode.INTERNAL.because("A savepoint is used that was not set.");
  }

  /** The transaction has committed on the backends that took part. */
  public void committed() {
    long[] versionAfter = new long[pending.size() + 1];
    for (int i = 0; i < pending.size(); i++) {
      Pending p = pending.get(i);
      versionAfter[i + 1] =
          p.local() // a savepoint too leaves nothing behind
              ? versionAfter[i]
              : p.name().map(n -> commit(n, p.sql())).orElseGet(() -> commitReset(p.sql()));
    }
    for (Cursor cursor : cursors) {
      if (cursor.inTransaction) {
        cursor.version = Math.max(cursor.version, versionAfter[cursor.heard]);
      }
    }
    end();
  }

  /** It was rolled back: every server has undone what it heard. */
  public void rolledBack() {
    end();
  }

  private void end() {
    pending.clear();
    for (Cursor cursor : cursors) {
      cursor.inTransaction = false;
      cursor.heard = 0;
    }
  }

  // --- what a backend must hear ----------------------------------------------------------------

  /** The statements that bring a backend outside a transaction up to date, in order. */
  public List<String> missing(Cursor cursor) {
    if (cursor.version == version) {
      return List.of();
    }
    List<String> statements = new ArrayList<>();
    if (reset.version() > cursor.version) {
      statements.add(reset.sql());
    }
    committed.values().stream()
        .filter(e -> e.version() > cursor.version)
        .forEach(e -> statements.add(e.sql()));
    return statements;
  }

  /** It has been told {@link #missing}. */
  public void caughtUp(Cursor cursor) {
    cursor.version = version;
  }

  /**
   * The settings and savepoints of the open transaction that a backend in it has not heard.
   *
   * @param settings false for a backend that has settings of its own
   */
  public List<String> missingInTransaction(Cursor cursor, boolean settings) {
    return pending.subList(cursor.heard, pending.size()).stream()
        .filter(p -> settings || p.isSavepoint())
        .map(Pending::sql)
        .toList();
  }

  /** It has been told {@link #missingInTransaction}. */
  public void caughtUpInTransaction(Cursor cursor) {
    cursor.heard = pending.size();
  }
}
