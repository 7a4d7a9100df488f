package org.pgconcord.testkit.cluster;

import java.nio.file.Path;

/**
 * An unpacked PostgreSQL: {@code initdb} and {@code postgres} under {@code home/bin}.
 *
 * @param major the server's major version, 15 to 18
 */
public record PostgresBinaries(Path home, int major) {
  Path program(String name) {
    return home.resolve("bin").resolve(name);
  }
}
