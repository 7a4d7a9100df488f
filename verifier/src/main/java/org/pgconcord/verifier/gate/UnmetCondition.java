package org.pgconcord.verifier.gate;

/**
 * A condition for enabling that is not met.
 *
 * @param id stable, {@code gate/slug}
 * @param message what is wrong and what would meet it, one sentence
 */
public record UnmetCondition(String id, String message) {}
