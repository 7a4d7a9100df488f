package org.pgconcord.cdc.apply;

import java.util.List;
import org.pgconcord.config.value.GsiName;

/**
 * Keys whose entry may be surplus, stored by routers that know of a transaction whose MAIN did not
 * commit: no owner's stream shows them.
 */
public interface Suspects {
  /** The oldest ones. */
  List<String> keys(GsiName gsi, int limit);

  void remove(GsiName gsi, String key);

  /** For a system without routers. */
  static Suspects none() {
    return new Suspects() {
      @Override
      public List<String> keys(GsiName gsi, int limit) {
        return List.of();
      }

      @Override
      public void remove(GsiName gsi, String key) {}
    };
  }
}
