/**
 * The one process that people run. {@code Main} hands the command line to {@link
 * org.pgconcord.daemon.cli}; {@code serve} lets {@code Wiring} build every service and {@code
 * Daemon} start and stop them in order. Nothing below this module knows another part's name: what
 * has to be adapted between router, stream, backfill and verifier is adapted here.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon;
