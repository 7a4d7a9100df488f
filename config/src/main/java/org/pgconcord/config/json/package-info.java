/**
 * Strict reading of JSON documents: duplicate keys, unknown keys (with "did you mean"), wrong types
 * and missing keys are all reported, each with its path, and reading goes on so that one run shows
 * them all. {@link org.pgconcord.config.json.JsonObject} is the entry; it knows nothing of what the
 * documents mean.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.json;
