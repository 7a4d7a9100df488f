package org.pgconcord.router.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The recorder against a model of a server's settings: whatever the session does, each backend that
 * has heard what it missed has the settings of the home backend.
 */
class SettingsRecorderTest {
  private static final int BACKENDS = 3;

  /** One server's view: statements are {@code SET n v}, {@code LOCAL n v}, {@code RESET n|ALL}. */
  private static final class Server {
    private Map<String, String> session = new HashMap<>();
    private Map<String, String> before = Map.of();
    private Map<String, String> local = new HashMap<>();
    private final List<Savepoint> savepoints = new ArrayList<>();
    private boolean inTransaction;

    private record Savepoint(String name, Map<String, String> session, Map<String, String> local) {}

    void run(String sql) {
      String[] words = sql.split(" ");
      switch (words[0]) {
        case "SET" -> {
          session.put(words[1], words[2]);
          local.remove(words[1]);
        }
        case "LOCAL" -> {
          if (inTransaction) {
            local.put(words[1], words[2]);
          }
        }
        case "SAVEPOINT" ->
            savepoints.add(new Savepoint(words[1], Map.copyOf(session), Map.copyOf(local)));
        default -> reset(words[1]);
      }
    }

    void rollbackTo(String name) {
      int at = indexOf(name);
      session = new HashMap<>(savepoints.get(at).session());
      local = new HashMap<>(savepoints.get(at).local());
      savepoints.subList(at + 1, savepoints.size()).clear();
    }

    void release(String name) {
      savepoints.subList(indexOf(name), savepoints.size()).clear();
    }

    private int indexOf(String name) {
      return savepoints.stream().map(Savepoint::name).toList().indexOf(name);
    }

    private void reset(String name) {
      if (name.equals("ALL")) {
        session.clear();
        local.clear();
      } else {
        session.remove(name);
        local.remove(name);
      }
    }

    void begin() {
      inTransaction = true;
      before = Map.copyOf(session);
    }

    void end(boolean commit) {
      if (inTransaction && !commit) {
        session = new HashMap<>(before);
      }
      local.clear();
      savepoints.clear();
      inTransaction = false;
    }

    Map<String, String> effective() {
      Map<String, String> all = new HashMap<>(session);
      all.putAll(local);
      return all;
    }
  }

  /** A session with its home backend (0) and others, driven at random. */
  private static final class World {
    final SettingsRecorder recorder = new SettingsRecorder();
    final List<Server> servers = new ArrayList<>();
    final List<SettingsRecorder.Cursor> cursors = new ArrayList<>();
    final List<String> savepoints = new ArrayList<>();
    boolean inTransaction;

    World() {
      for (int i = 0; i < BACKENDS; i++) {
        servers.add(new Server());
        cursors.add(recorder.open());
      }
    }

    /** What SessionBackends does before it hands a backend out. */
    void use(int backend) {
      SettingsRecorder.Cursor cursor = cursors.get(backend);
      Server server = servers.get(backend);
      if (!cursor.inTransaction()) {
        recorder.missing(cursor).forEach(server::run);
        recorder.caughtUp(cursor);
        if (inTransaction) {
          server.begin();
          recorder.begun(cursor);
        }
      }
      if (inTransaction) {
        recorder.missingInTransaction(cursor, true).forEach(server::run);
        recorder.caughtUpInTransaction(cursor);
      }
    }

    void command(String sql) {
      use(0);
      servers.get(0).run(sql);
      String[] words = sql.split(" ");
      if (sql.equals("RESET ALL")) {
        recorder.resetAll(cursors.get(0), sql);
      } else {
        recorder.set(cursors.get(0), words[1], sql, words[0].equals("LOCAL"));
      }
    }

    void end(boolean commit) {
      servers.forEach(server -> server.end(commit));
      if (commit) {
        recorder.committed();
      } else {
        recorder.rolledBack();
      }
      savepoints.clear();
      inTransaction = false;
    }

    void savepoint() {
      String name = "s" + savepoints.size();
      savepoints.add(name);
      recorder.savepoint(name);
    }

    void rollbackTo(String name) {
      for (int i = 0; i < BACKENDS; i++) {
        if (recorder.heard(cursors.get(i), name)) {
          servers.get(i).rollbackTo(name);
        }
      }
      recorder.rolledBackTo(name);
      savepoints.subList(savepoints.indexOf(name) + 1, savepoints.size()).clear();
    }

    void release(String name) {
      for (int i = 0; i < BACKENDS; i++) {
        if (recorder.heard(cursors.get(i), name)) {
          servers.get(i).release(name);
        }
      }
      recorder.released(name);
      savepoints.subList(savepoints.indexOf(name), savepoints.size()).clear();
    }

    /** A backend is lost outside a transaction and opened again. */
    void reopen(int backend) {
      recorder.close(cursors.get(backend));
      cursors.set(backend, recorder.open());
      servers.set(backend, new Server());
    }
  }

  @Test
  void everyBackendHasTheSettingsOfTheHomeBackend() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      World world = new World();
      for (int step = 0; step < 60; step++) {
        String did = step(world, random);
        if (random.nextInt(3) == 0) {
          continue; // so that several things are heard at once
        }
        world.use(0);
        int other = 1 + random.nextInt(BACKENDS - 1);
        world.use(other);
        assertThat(world.servers.get(other).effective())
            .as("seed %d round %d step %d after %s", seed, round, step, did)
            .isEqualTo(world.servers.get(0).effective());
      }
    }
  }

  private static String step(World world, Random random) {
    String name = "abc".substring(random.nextInt(3)).substring(0, 1);
    int value = random.nextInt(100);
    switch (random.nextInt(12)) {
      case 0, 1 -> world.command("SET " + name + " " + value);
      case 2 -> world.command("LOCAL " + name + " " + value);
      case 3 -> world.command("RESET " + name);
      case 4 -> world.command("RESET ALL");
      case 5 -> world.inTransaction = true;
      case 6 -> world.end(random.nextBoolean());
      case 7 -> {
        if (!world.inTransaction) {
          world.reopen(1 + random.nextInt(BACKENDS - 1));
        }
      }
      case 8, 9 -> {
        if (world.inTransaction) {
          world.savepoint();
        }
      }
      default -> {
        if (!world.savepoints.isEmpty()) {
          String savepoint = world.savepoints.get(random.nextInt(world.savepoints.size()));
          if (random.nextBoolean()) {
            world.rollbackTo(savepoint);
          } else {
            world.release(savepoint);
          }
        }
      }
    }
    return "name " + name + " in transaction " + world.inTransaction;
  }

  @Test
  void aBackendInStepIsToldNothing() {
    World world = new World();
    world.command("SET a 1");
    world.use(1);
    assertThat(world.recorder.missing(world.cursors.get(1))).isEmpty();
    assertThat(world.recorder.missing(world.cursors.get(2))).containsExactly("SET a 1");
  }
}
