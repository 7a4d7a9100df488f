package org.pgconcord.config.settings;

/** A host and port, of a shard or of a listener. IPv6 hosts are kept without brackets. */
public record ShardAddress(String host, int port) {
  public ShardAddress {
    if (host.isEmpty() || port < 0 || port > 65_535) {
      throw new IllegalArgumentException("not an address: " + host + ":" + port);
    }
  }

  /**
   * Reads {@code host:port} or {@code [::1]:port}.
   *
   * @throws IllegalArgumentException for another form
   */
  public static ShardAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("expected HOST:PORT, found \"" + text + "\"");
    }
    String host = text.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (host.indexOf(':') >= 0 && !bracketed) {
      throw new IllegalArgumentException("an IPv6 address needs brackets: \"" + text + "\"");
    }
    return new ShardAddress(
        bracketed ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(text.substring(colon + 1)));
  }

  /** Whether only this machine can reach it; names other than localhost are not resolved. */
  public boolean loopback() {
    return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  /** The form that {@link #parse} reads. */
  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
