package org.pgconcord.daemon;

import org.pgconcord.daemon.cli.PgConcord;

/** Where the process begins; the only place that ends it. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(PgConcord.run(arguments));
  }
}
