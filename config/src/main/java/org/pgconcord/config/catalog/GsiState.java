package org.pgconcord.config.catalog;

/**
 * The life of a global secondary index. Routers maintain entries in {@link #WRITE_ONLY} and {@link
 * #ENABLED} and read them in {@link #ENABLED} alone; the engine writes blindly in {@link #FILLING}
 * and {@link #TAILING} alone.
 */
public enum GsiState {
  DECLARED,
  FILLING,
  TAILING,
  WRITE_ONLY,
  ENABLED,
  /** Stopped by something that a person must resolve; the reason is stored beside the state. */
  BLOCKED,
  /** The stream has a gap: only a rebuild or a resync makes the entries true again. */
  NEEDS_RESYNC;

  /** Routers write entries. */
  public boolean maintained() {
    return this == WRITE_ONLY || this == ENABLED;
  }

  /** Routers answer reads through the lookup table. */
  public boolean readable() {
    return this == ENABLED;
  }

  /** It goes on from where its streams were; in the other states a build begins with new slots. */
  public boolean needsStreams() {
    return switch (this) {
      case FILLING, TAILING, WRITE_ONLY, ENABLED -> true;
      case DECLARED, BLOCKED, NEEDS_RESYNC -> false;
    };
  }

  /** Lower case, as stored in the catalog and printed: {@code write_only}. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
