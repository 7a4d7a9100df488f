package org.pgconcord.cdc.apply;

import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;

/** Hears of keys that two owner rows have. Called by tails' threads; must not block for long. */
public interface DuplicateListener {
  /**
   * Two rows own one key.
   *
   * @param second the entry that has no place
   * @param holder of the key's entry
   */
  void found(LookupIndex index, Entry second, Tuple holder);

  /** The second row is gone, or has got the entry. */
  void gone(LookupIndex index, Entry second);
}
