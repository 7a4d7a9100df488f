package org.pgconcord.router.copy;

import org.jspecify.annotations.Nullable;

/**
 * One field of a row.
 *
 * @param text its value as text; null for NULL, for a default and in binary format
 * @param bytes its value in binary format; null for NULL
 * @param isDefault the column's default is asked for
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record CopyField(@Nullable String text, byte @Nullable [] bytes, boolean isDefault) {
  static final CopyField NULL = new CopyField(null, null, false);
  static final CopyField DEFAULT = new CopyField(null, null, true);

  static CopyField of(String text) {
    return new CopyField(text, null, false);
  }

  public boolean isNull() {
    return text == null && bytes == null && !isDefault;
  }
}
