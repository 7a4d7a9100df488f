package org.pgconcord.daemon.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest; classes outside a jar say so. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "pgconcord " + (version == null ? "(built from source)" : version),
      "java " + System.getProperty("java.version")
    };
  }
}
