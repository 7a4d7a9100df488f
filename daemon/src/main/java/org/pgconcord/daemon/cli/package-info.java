/**
 * The command line: one class per command, results on standard output, everything else on standard
 * error. Most commands are clients of a running daemon's admin API ({@link
 * org.pgconcord.daemon.cli.AdminClient}); the few that need none work on files or on the shards of
 * a configuration. Exit codes are in {@link org.pgconcord.daemon.cli.ExitCode}; the JSON forms are
 * described in docs/formats.md and held by tests. The only user of picocli.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.cli;
