/**
 * The admin HTTP server: health pages, metrics and the JSON API that the command line uses. It
 * decides nothing; a route calls one operation and writes its document. It listens on loopback
 * only, and a request whose Host or Origin header names another machine is refused, so that a web
 * page cannot reach it through a browser.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.admin;
