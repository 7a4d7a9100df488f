package org.pgconcord.router.plan;

import java.util.Optional;

/** The modes that BEGIN and SET TRANSACTION may carry; empty where not mentioned. */
public record TransactionModes(
    Optional<Isolation> isolation, Optional<Boolean> readOnly, Optional<Boolean> deferrable) {
  public static final TransactionModes NONE =
      new TransactionModes(Optional.empty(), Optional.empty(), Optional.empty());

  /** This level, nothing else mentioned. */
  public static TransactionModes of(Isolation level) {
    return new TransactionModes(Optional.of(level), Optional.empty(), Optional.empty());
  }

  /** PostgreSQL's levels; READ UNCOMMITTED behaves as READ COMMITTED. */
  public enum Isolation {
    READ_UNCOMMITTED,
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE;

    /** One snapshot for the whole transaction. */
    public boolean fixedSnapshot() {
      return this == REPEATABLE_READ || this == SERIALIZABLE;
    }

    /** As SQL spells it. */
    public String sql() {
      return name().replace('_', ' ');
    }
  }
}
