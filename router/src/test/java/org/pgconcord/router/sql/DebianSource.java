package org.pgconcord.router.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;
import org.pgconcord.testkit.RequiredTools;
import org.pgconcord.testkit.ToolRun;

/**
 * The SQL files of a Debian source package, from where this machine has its packages: its own
 * package sources, asked for sources, under a folder of {@code target} that leaves the machine's
 * lists alone. Where that is not to be had, the calling test is skipped with a visible line.
 */
final class DebianSource {
  private static final Path MACHINE = Path.of("/etc/apt");

  private final String name;
  private final Path directory;

  private DebianSource(String name) {
    this.name = name;
    this.directory = Path.of("target", "sources", name).toAbsolutePath();
  }

  /** The folder in which the package's SQL files are, in their folders. */
  static Path sql(String name) {
    DebianSource source = new DebianSource(name);
    Path unpacked = source.directory.resolve("sql");
    if (!Files.isDirectory(unpacked)) {
      try {
        source.unpack(source.download(), unpacked);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return unpacked;
  }

  /** The archive of the newest version that can be had: lists may name one that cannot. */
  private Path download() throws IOException {
    Path apt = RequiredTools.require("apt-get");
    writeSources();
    run(List.of(apt.toString(), "update"));
    String versions = run(List.of("apt-cache", "showsrc", name)).output();
    List<String> newestFirst =
        versions
            .lines()
            .filter(line -> line.startsWith("Version: "))
            .map(line -> line.substring(9))
            .distinct()
            .sorted(Comparator.reverseOrder())
            .toList();
    for (String version : newestFirst) {
      run(List.of(apt.toString(), "source", "--download-only", name + "=" + version));
      Optional<Path> archive = archive();
      if (archive.isPresent()) {
        return archive.get();
      }
    }
    throw skipped("no source of package " + name + " can be had");
  }

  private void writeSources() throws IOException {
    Path sources = Files.createDirectories(directory.resolve("sources.d"));
    Files.createDirectories(directory.resolve("lists/partial"));
    Files.createDirectories(directory.resolve("cache/archives/partial"));
    for (Path file : machineSources()) {
      String text = Files.readString(file);
      Files.writeString(
          sources.resolve(file.getFileName()),
          file.toString().endsWith(".sources")
              ? text.replaceAll("(?m)^Types:.*$", "Types: deb-src")
              : text.replaceAll("(?m)^deb ", "deb-src "));
    }
  }

  private static List<Path> machineSources() throws IOException {
    List<Path> files = new ArrayList<>();
    Path list = MACHINE.resolve("sources.list");
    if (Files.exists(list)) {
      files.add(list);
    }
    if (Files.isDirectory(MACHINE.resolve("sources.list.d"))) {
      try (Stream<Path> more = Files.list(MACHINE.resolve("sources.list.d"))) {
        more.filter(f -> f.toString().matches(".*\\.(list|sources)")).forEach(files::add);
      }
    }
    return files;
  }

  private ToolRun run(List<String> command) {
    List<String> all = new ArrayList<>(List.of("env", "-C", directory.toString(), "LC_ALL=C"));
    all.add(command.get(0));
    for (String option :
        List.of(
            "Dir::Etc::SourceList=/dev/null",
            "Dir::Etc::SourceParts=" + directory.resolve("sources.d"),
            "Dir::State::Lists=" + directory.resolve("lists"),
            "Dir::Cache=" + directory.resolve("cache"),
            "APT::Sandbox::User=")) {
      all.addAll(List.of("-o", option));
    }
    all.addAll(command.subList(1, command.size()));
    return ToolRun.of(all, Map.of(), "");
  }

  private Optional<Path> archive() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.getFileName().toString().contains(".orig.tar")).findFirst();
    }
  }

  private void unpack(Path archive, Path target) throws IOException {
    Path partly = Files.createDirectories(directory.resolve("unpacking"));
    ToolRun run =
        ToolRun.of(
            List.of(
                RequiredTools.require("tar").toString(),
                "-xf",
                archive.toString(),
                "-C",
                partly.toString(),
                "--strip-components=1",
                "--wildcards",
                "*.sql"),
            Map.of(),
            "");
    if (run.exitCode() != 0) {
      throw skipped("tar: " + run.errors().lines().findFirst().orElse(""));
    }
    Files.move(partly, target);
  }

  private static TestAbortedException skipped(String why) {
    System.out.println("SKIPPED: " + why + "; a test that reads it does not run");
    return new TestAbortedException(why);
  }

  /** The text of every file below {@code folder}, those that are not UTF-8 left out. */
  static List<String> texts(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      List<String> texts = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().endsWith(".sql")).sorted().toList()) {
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\uFFFD') < 0) {
          texts.add(text);
        }
      }
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
