/**
 * The cluster's own memory: schema {@code pgconcord} on the authoritative shard holds the applied
 * topology with its revision, the indexes' states, reports, conflicts and suspects; each shard that
 * receives entries holds the streams' progress. {@link
 * org.pgconcord.config.catalog.CatalogInstaller} makes the tables, {@link
 * org.pgconcord.config.catalog.Catalog} reads and changes them (its class comment argues why
 * concurrent writers cannot lose a change), {@link org.pgconcord.config.catalog.RoutingStates} adds
 * the tables' schemas, and {@link org.pgconcord.config.catalog.CatalogWatch} tells others of news.
 * All of it runs as the service role. The catalog is the truth; a document's flags are wishes.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.catalog;
