/**
 * The one catalogue of errors. An error is chosen where it is thrown: {@link
 * org.pgconcord.config.error.ErrorCode} fixes its stable code, SQLSTATE, category and remedy,
 * {@link org.pgconcord.config.error.ConcordException} carries it to the client, the CLI or the log.
 * docs/errors.md is made from the catalogue, and a test compares them.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.error;
