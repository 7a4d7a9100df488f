package org.pgconcord.config.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.json.DidYouMean;
import org.pgconcord.config.json.JsonObject;
import org.pgconcord.config.json.JsonProblem;
import org.pgconcord.config.settings.DaemonSettings.Admin;
import org.pgconcord.config.settings.DaemonSettings.Auth;
import org.pgconcord.config.settings.DaemonSettings.Router;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;
import org.pgconcord.config.value.Counted;
import org.pgconcord.config.value.ShardId;

/**
 * Reads the daemon's configuration. Every fault is collected; one error lists them all. Relative
 * paths are taken from the file's own directory.
 */
public final class SettingsReader {
  private static final List<String> SSL_MODES =
      List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");

  /** Below it an ordinary commit could be taken for a hanging one. */
  private static final Duration ANSWER_LEAST = Duration.ofSeconds(1);

  private static final Duration TIME_MOST = Duration.ofMinutes(60);

  private final Path directory;
  private final Overrides overrides;
  private final List<JsonProblem> problems = new ArrayList<>();

  private SettingsReader(Path directory, Overrides overrides) {
    this.directory = directory.toAbsolutePath();
    this.overrides = overrides;
  }

  /**
   * Reads a configuration.
   *
   * @param json the file's text
   * @param directory the file's directory
   * @throws org.pgconcord.config.error.ConcordException ({@code config/invalid}) whose detail lists
   *     every fault, one a line
   */
  public static DaemonSettings read(String json, Path directory, Overrides overrides) {
    SettingsReader reader = new SettingsReader(directory, overrides);
    Optional<DaemonSettings> settings =
        JsonObject.parse(json, reader.problems).flatMap(reader::root);
    if (!reader.problems.isEmpty() || settings.isEmpty()) {
      throw ErrorCode.CONFIG_INVALID
          .because("the configuration has " + Counted.of(reader.problems.size(), "fault"))
          .withDetail(
              String.join(
                  "\n", reader.problems.stream().map(p -> p.path() + ": " + p.message()).toList()));
    }
    return settings.get();
  }

  private Optional<DaemonSettings> root(JsonObject root) {
    Optional<Path> topology = text(Optional.of(root), "topology").map(directory::resolve);
    Router router = router(root.object("router"));
    Admin admin = admin(root.object("admin"));
    Optional<String> stateDir = required(root, "state_dir");
    Optional<String> catalogDatabase = required(root, "catalog_database");
    ServiceRole role = serviceRole(root.object("service_role"));
    SortedMap<ShardId, ShardSettings> shards = shards(root);
    root.finish();
    if (!problems.isEmpty() || stateDir.isEmpty() || catalogDatabase.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new DaemonSettings(
            topology,
            router,
            admin,
            directory.resolve(stateDir.get()).normalize(),
            catalogDatabase.get(),
            role,
            shards));
  }

  private Router router(Optional<JsonObject> router) {
    ShardAddress listen = listen(router, "router.listen", "127.0.0.1:6432");
    Auth auth = text(router, "router.auth").map(this::auth).orElse(Auth.SCRAM);
    if (auth == Auth.TRUST && !listen.loopback()) {
      fault("router.auth", "trust is for loopback listeners only, not for " + listen);
    }
    Optional<Path> users = text(router, "router.users_file").map(directory::resolve);
    Duration answer =
        time(router, "router.answer_timeout", ANSWER_LEAST, "1s", Router.ANSWER_TIMEOUT);
    Duration failover =
        time(router, "router.failover_wait", Duration.ZERO, "0s", Router.FAILOVER_WAIT);
    router.ifPresent(JsonObject::finish);
    return new Router(listen, auth, users, answer, failover);
  }

  private Duration time(
      Optional<JsonObject> section, String key, Duration least, String words, Duration otherwise) {
    return text(section, key).map(text -> time(key, text, least, words)).orElse(otherwise);
  }

  private Duration time(String key, String text, Duration least, String words) {
    try {
      Duration time = DurationText.parse(text);
      if (time.compareTo(least) >= 0 && time.compareTo(TIME_MOST) <= 0) {
        return time;
      }
      fault(key, "expected %s to 60min, found \"%s\"".formatted(words, text));
    } catch (IllegalArgumentException e) {
      fault(key, String.valueOf(e.getMessage()));
    }
    return least;
  }

  private Auth auth(String word) {
    List<String> words = List.of("trust", "scram");
    if (!words.contains(word)) {
      fault(
          "router.auth",
          "expected trust or scram, found \"" + word + "\"" + DidYouMean.hint(word, words));
    }
    return word.equals("trust") ? Auth.TRUST : Auth.SCRAM;
  }

  private Admin admin(Optional<JsonObject> admin) {
    ShardAddress listen = listen(admin, "admin.listen", "127.0.0.1:9432");
    if (!listen.loopback()) {
      fault("admin.listen", "an admin address off loopback is not supported yet: " + listen);
    }
    admin.ifPresent(JsonObject::finish);
    return new Admin(listen);
  }

  private ServiceRole serviceRole(Optional<JsonObject> role) {
    String user = text(role, "service_role.user").orElse("pgconcord");
    Optional<Path> file = text(role, "service_role.password_file").map(directory::resolve);
    if (role.map(r -> r.has("password")).orElse(false)) {
      fault(
          "service_role.password",
          "a password is never written here: use password_file, "
              + Overrides.variable("service_role.password")
              + " or .pgpass");
    }
    role.ifPresent(JsonObject::finish);
    return new ServiceRole(user, file);
  }

  private SortedMap<ShardId, ShardSettings> shards(JsonObject root) {
    root.require("shards");
    SortedMap<ShardId, ShardSettings> shards = new TreeMap<>();
    for (Map.Entry<String, JsonObject> entry : root.objectsByName("shards").entrySet()) {
      Optional<ShardSettings> shard = shard(entry.getValue());
      if (entry.getKey().isEmpty()) {
        faultAt(entry.getValue().path(), "a shard's uid is empty");
      } else {
        shard.ifPresent(s -> shards.put(new ShardId(entry.getKey()), s));
      }
    }
    return shards;
  }

  private Optional<ShardSettings> shard(JsonObject shard) {
    shard.require("hosts");
    List<ShardAddress> hosts = addresses(shard, "hosts");
    List<ShardAddress> replicas = addresses(shard, "replicas");
    String sslmode = shard.optionalText("sslmode").orElse("prefer");
    if (!SSL_MODES.contains(sslmode)) {
      faultAt(
          shard.path("sslmode"),
          "unknown sslmode \"" + sslmode + "\"" + DidYouMean.hint(sslmode, SSL_MODES));
    }
    Map<String, String> databases = shard.textsByName("databases");
    shard.finish();
    if (hosts.isEmpty()) {
      faultAt(shard.path("hosts"), "at least one host is needed");
      return Optional.empty();
    }
    return Optional.of(new ShardSettings(hosts, replicas, sslmode, databases));
  }

  private List<ShardAddress> addresses(JsonObject shard, String key) {
    List<ShardAddress> addresses = new ArrayList<>();
    shard.texts(key).forEach(text -> address(text, shard.path(key)).ifPresent(addresses::add));
    return addresses;
  }

  private Optional<ShardAddress> address(String text, String path) {
    try {
      return Optional.of(ShardAddress.parse(text));
    } catch (IllegalArgumentException e) {
      faultAt(path, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private ShardAddress listen(Optional<JsonObject> section, String key, String whenAbsent) {
    ShardAddress otherwise = ShardAddress.parse(whenAbsent);
    return text(section, key)
        .map(text -> address(text, overrides.origin(key)).orElse(otherwise))
        .orElse(otherwise);
  }

  private Optional<String> required(JsonObject root, String key) {
    Optional<String> value = text(Optional.of(root), key);
    if (value.isEmpty()) {
      root.require(key);
    }
    return value;
  }

  /** The value of a dotted key; the file's is read in any case, so that its form is checked. */
  private Optional<String> text(Optional<JsonObject> section, String key) {
    String last = key.substring(key.lastIndexOf('.') + 1);
    Function<JsonObject, Optional<String>> read = s -> s.optionalText(last);
    Optional<String> inFile = section.flatMap(read);
    Optional<String> value = overrides.find(key).or(() -> inFile);
    if (value.filter(String::isEmpty).isPresent()) {
      fault(key, "the text is empty");
    }
    return value.filter(v -> !v.isEmpty());
  }

  private void fault(String key, String message) {
    faultAt(overrides.origin(key), message);
  }

  private void faultAt(String path, String message) {
    problems.add(new JsonProblem(JsonProblem.Kind.WRONG_TYPE, path, message));
  }
}
