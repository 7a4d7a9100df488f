package org.pgconcord.daemon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardAddress;

/**
 * Finds a taken address before a daemon begins anything that it would have to break off again. The
 * address is let go at once; the part that listens takes it later.
 */
final class ListenAddresses {
  private ListenAddresses() {}

  /**
   * Tries both addresses.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code config/address-taken}
   */
  static void requireFree(DaemonSettings settings) {
    requireFree(settings.router().listen(), "router", "--port");
    requireFree(settings.admin().listen(), "admin", "--http-port");
  }

  private static void requireFree(ShardAddress address, String part, String demoFlag) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address.host()), address.port()));
    } catch (IOException e) {
      String setting = part + ".listen";
      throw ErrorCode.CONFIG_ADDRESS_TAKEN
          .because("the " + part + " address " + address + " cannot be opened: " + e.getMessage())
          .withHint(
              "Stop the program that holds it, or choose another with --%s or %s in the file (serve), %s (demo)."
                  .formatted(setting, setting, demoFlag))
          .withCause(e);
    }
  }
}
