package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Picks loopback ports for servers that are stopped and started again. They come from below the
 * range that Linux uses for outgoing connections (32768 on), so that none of those takes the port
 * while its server is down.
 */
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int AFTER_LAST = 32_000;

  private FreePort() {}

  /** A port that was free a moment ago; who binds it must still be ready to lose the race. */
  public static int pick() {
    for (int attempt = 0; attempt < 1_000; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free loopback port between 20000 and 32000");
  }

  /** True when nobody listens on this port of 127.0.0.1. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
