package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.pgconcord.config.error.ErrorCode;

/**
 * The PostgreSQL on the class path, or the one in a jar of another version, unpacked once per
 * machine and user into a directory under {@code java.io.tmpdir}.
 *
 * <p>Processes may unpack at the same time: each unpacks into a directory of its own and renames it
 * into place; whoever comes second finds the name taken, drops its own copy and uses the other's. A
 * directory that has its final name is therefore always complete. It is used only if it belongs to
 * this user and nobody else may write to it, since what lies in it is executed.
 */
public final class EmbeddedBinaries {
  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
  private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

  private EmbeddedBinaries() {}

  /** Where the packed binaries are read from, as often as asked. */
  @FunctionalInterface
  private interface Archive {
    InputStream open() throws IOException;
  }

  /** The unpacked binaries; about 2 s the first time, else as long as reading 15 MB takes. */
  public static PostgresBinaries unpack() {
    return unpackInCache(EmbeddedBinaries::onClassPath);
  }

  /** The binaries in a jar of the same library, of another version than the class path's. */
  public static PostgresBinaries unpack(Path jar) {
    return unpackInCache(() -> insideOf(jar));
  }

  private static PostgresBinaries unpackInCache(Archive archive) {
    try {
      return unpackInto(cache(), archive);
    } catch (IOException e) {
      throw ErrorCode.EMBEDDED_START_FAILED
          .because("the embedded PostgreSQL could not be unpacked: " + e)
          .withCause(e);
    }
  }

  private static PostgresBinaries unpackInto(Path cache, Archive archive) throws IOException {
    Path home = cache.resolve("postgres-" + Long.toHexString(checksum(archive)));
    if (!Files.isDirectory(home)) {
      install(cache, home, archive);
    }
    return new PostgresBinaries(home, majorVersion(home));
  }

  private static void install(Path cache, Path home, Archive source) throws IOException {
    Path fresh = Files.createTempDirectory(cache, ".unpacking-");
    try (InputStream archive = source.open()) {
      TarXz.extract(archive, fresh);
      Files.writeString(fresh.resolve("version"), askVersion(fresh));
      Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Directories.delete(fresh);
      if (!Files.isDirectory(home)) {
        throw e;
      }
    }
  }

  private static int majorVersion(Path home) throws IOException {
    Matcher matcher = VERSION.matcher(Files.readString(home.resolve("version")));
    if (!matcher.find()) {
      throw new IOException("no version in " + home.resolve("version"));
    }
    return Integer.parseInt(matcher.group(1));
  }

  private static String askVersion(Path home) throws IOException {
    Process process =
        new ProcessBuilder(home.resolve("bin/postgres").toString(), "--version")
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Path cache() throws IOException {
    String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");
    Path cache = Path.of(System.getProperty("java.io.tmpdir"), "pgconcord-binaries-" + user);
    try {
      Files.createDirectory(
          cache,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    } catch (FileAlreadyExistsException e) {
      requireOurs(cache);
    }
    return cache;
  }

  private static void requireOurs(Path cache) throws IOException {
    String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(cache));
    boolean othersWrite = permissions.charAt(4) == 'w' || permissions.charAt(7) == 'w';
    boolean link = Files.isSymbolicLink(cache);
    if (link || othersWrite || !Files.getOwner(cache).getName().equals(userName())) {
      throw ErrorCode.EMBEDDED_START_FAILED
          .because(cache + " belongs to somebody else or others may write to it")
          .withHint("Remove it, or set -Djava.io.tmpdir to a directory of your own.");
    }
  }

  private static String userName() throws IOException {
    return Files.getOwner(Path.of("/proc/self")).getName();
  }

  private static long checksum(Archive source) throws IOException {
    CRC32 crc = new CRC32();
    byte[] buffer = new byte[1 << 16];
    try (InputStream archive = source.open()) {
      for (int n = archive.read(buffer); n >= 0; n = archive.read(buffer)) {
        crc.update(buffer, 0, n);
      }
    }
    return crc.getValue();
  }

  private static InputStream onClassPath() throws IOException {
    InputStream archive = EmbeddedBinaries.class.getResourceAsStream(ARCHIVE);
    if (archive == null) {
      throw new IOException(ARCHIVE + " is not on the class path");
    }
    return archive;
  }

  private static InputStream insideOf(Path jar) throws IOException {
    // Read as a stream, so that closing what is returned closes all of it.
    ZipInputStream entries = new ZipInputStream(Files.newInputStream(jar));
    try {
      for (ZipEntry each = entries.getNextEntry(); each != null; each = entries.getNextEntry()) {
        if (ARCHIVE.endsWith("/" + each.getName())) {
          return entries;
        }
      }
    } catch (IOException e) {
      entries.close();
      throw e;
    }
    entries.close();
    throw new IOException(ARCHIVE + " is not in " + jar);
  }
}
