package org.pgconcord.router.wire;

/** Type bytes of messages that a client sends after the startup packet. */
public final class FrontendType {
  public static final byte BIND = 'B';
  public static final byte CLOSE = 'C';
  public static final byte COPY_DATA = 'd';
  public static final byte COPY_DONE = 'c';
  public static final byte COPY_FAIL = 'f';
  public static final byte DESCRIBE = 'D';
  public static final byte EXECUTE = 'E';
  public static final byte FLUSH = 'H';
  public static final byte FUNCTION_CALL = 'F';
  public static final byte PARSE = 'P';

  /** PasswordMessage, SASLInitialResponse and SASLResponse share one letter. */
  public static final byte PASSWORD = 'p';

  public static final byte QUERY = 'Q';
  public static final byte SYNC = 'S';
  public static final byte TERMINATE = 'X';

  private static final String KNOWN = "BCdcfDEHFPpQSX";

  private FrontendType() {}

  public static boolean known(byte type) {
    return KNOWN.indexOf((char) type) >= 0;
  }
}
