package org.pgconcord.config.atomic;

import java.time.Duration;
import java.util.Optional;

/**
 * A prepared transaction as its server shows it.
 *
 * @param owner the role that may end it, by its present name; empty when the role was dropped
 * @param database by its name on that server
 */
public record PreparedTransaction(
    GlobalId gid, Optional<String> owner, String database, Duration age) {}
