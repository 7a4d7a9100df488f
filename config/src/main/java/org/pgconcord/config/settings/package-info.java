/**
 * The daemon's own configuration and the connections that it describes. {@link
 * org.pgconcord.config.settings.SettingsReader} reads the file strictly (flag over environment over
 * file over default) into {@link org.pgconcord.config.settings.DaemonSettings}; {@link
 * org.pgconcord.config.settings.ShardConnections} opens JDBC connections as the service role, each
 * checked and with its session settings pinned. Passwords come from a file, the environment or
 * .pgpass, are read when a connection is opened, and are held by no record that could be printed.
 * Addresses live here and never in a topology.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.settings;
