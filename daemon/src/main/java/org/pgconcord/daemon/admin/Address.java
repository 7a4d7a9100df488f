package org.pgconcord.daemon.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.pgconcord.config.error.ErrorCode;

/** Reading and judging {@code HOST:PORT} of the admin API. */
public final class Address {
  private Address() {}

  /** {@code source} names the flag or setting that the text came from. */
  public static InetSocketAddress parse(String text, String source) {
    int colon = text.lastIndexOf(':');
    String host = colon < 1 ? "" : text.substring(0, colon).replaceAll("^\\[|\\]$", "");
    int port = colon < 0 ? -1 : port(text.substring(colon + 1));
    if (host.isEmpty() || port < 0) {
      throw ErrorCode.CONFIG_INVALID.because(
          source + " is \"" + text + "\", which is not of the form HOST:PORT");
    }
    return new InetSocketAddress(host, port);
  }

  /** Refuses an address that another machine could reach. */
  public static void requireLoopback(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    if (ip == null || !ip.isLoopbackAddress()) {
      throw ErrorCode.ADMIN_NOT_LOOPBACK.because(
          "the admin address " + address.getHostString() + " is not a loopback address");
    }
  }

  /** Whether a Host or Origin header's host part names this machine's loopback. */
  static boolean namesLoopback(String hostAndPort) {
    String host = hostAndPort.replaceAll(":\\d+$", "").replaceAll("^\\[|\\]$", "");
    if (host.equalsIgnoreCase("localhost")) {
      return true;
    }
    if (!host.matches("127(\\.\\d{1,3}){3}") && !host.equals("::1")) {
      return false; // never resolve a name that the request chose
    }
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port <= 65535 ? port : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
