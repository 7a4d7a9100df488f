/**
 * {@code pgconcord demo}: the whole life of a global secondary index on shards that it starts
 * itself. It is a user of the product and nothing more: it writes a configuration file, starts the
 * daemon with it, then works through the router's port and the admin API, as anybody would. {@link
 * org.pgconcord.daemon.demo.Demo} is the story, one class per chapter; {@link
 * org.pgconcord.daemon.demo.Narrator} tells it and keeps count of what was not as it should be.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.demo;
