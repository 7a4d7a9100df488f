package org.pgconcord.router.auth;

/** A SCRAM exchange cannot go on. The message is for the log; clients all hear the same words. */
public final class ScramException extends Exception {
  ScramException(String message) {
    super(message);
  }
}
