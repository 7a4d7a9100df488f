/**
 * The router: clients see one PostgreSQL database, shards see ordinary clients. The stages are the
 * packages: {@code wire} (bytes), {@code session} (one client's protocol), {@code sql}, {@code
 * analyse} and {@code plan} (what a statement means and where it goes), {@code exec} (running it),
 * {@code backend} (connections to shards); {@code auth} says who a client is. {@link
 * org.pgconcord.router.RouterServer} puts them behind a port.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router;
