package org.pgconcord.gsi;

import org.pgconcord.config.value.Tuple;

/**
 * One row of a lookup table, in PostgreSQL's text form under the pinned settings. Equal means equal
 * byte by byte.
 *
 * @param identity the values of the lookup table's primary key: there is one entry of it at most
 * @param holder what else the entry says of the row that owns it: shard key and stored primary key
 *     for a unique index; nothing where the identity says it all
 */
public record Entry(Tuple identity, Tuple holder) {
  /** All values, in the order of {@link LookupIndex#columns}. */
  public Tuple row() {
    return identity.then(holder);
  }
}
