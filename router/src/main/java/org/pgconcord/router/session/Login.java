package org.pgconcord.router.session;

import org.pgconcord.router.auth.BackendSecret;

/** A client that has proved who it is, and how the router proves it to the shards. */
record Login(StartupParameters startup, BackendSecret secret) {}
