package org.pgconcord.state.store;

import java.util.Arrays;

/** The range of keys that share a prefix. */
final class Prefixes {
  private Prefixes() {}

  /** The least key above every key that starts with {@code prefix}. */
  static byte[] end(byte[] prefix) {
    int last = prefix.length - 1;
    while (last >= 0 && prefix[last] == (byte) 0xFF) {
      last--;
    }
    if (last < 0) {
      throw new IllegalArgumentException("the prefix has no end");
    }
    byte[] end = Arrays.copyOf(prefix, last + 1);
    end[last]++;
    return end;
  }

  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }
}
