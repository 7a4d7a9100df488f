package org.pgconcord.router.wire;

/** The status letter of ReadyForQuery. */
public enum TransactionStatus {
  IDLE('I'),
  OPEN('T'),
  FAILED('E');

  private final byte letter;

  TransactionStatus(char letter) {
    this.letter = (byte) letter;
  }

  public byte letter() {
    return letter;
  }

  /** The status of a letter that a backend sent; an unknown letter counts as failed. */
  public static TransactionStatus of(byte letter) {
    return switch (letter) {
      case 'I' -> IDLE;
      case 'T' -> OPEN;
      default -> FAILED;
    };
  }
}
