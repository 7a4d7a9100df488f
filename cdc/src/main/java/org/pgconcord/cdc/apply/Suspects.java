package org.pgconcord.cdc.apply;

import java.util.List;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;

/**
 * Identities whose entry may be surplus, stored by routers that know of a transaction whose MAIN
 * did not commit: no owner's stream shows them.
 */
public interface Suspects {
  /** The oldest ones. */
  List<Tuple> keys(LookupIndex index, int limit);

  void remove(LookupIndex index, Tuple identity);

  /** For a system without routers. */
  static Suspects none() {
    return new Suspects() {
      @Override
      public List<Tuple> keys(LookupIndex index, int limit) {
        return List.of();
      }

      @Override
      public void remove(LookupIndex index, Tuple identity) {}
    };
  }
}
