package org.pgconcord.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Carries one link: this thread what the client sends, another what the server answers. Whatever
 * ends one of them ends the link.
 */
final class LinkPump {
  private static final int CHUNK = 1 << 16;
  private static final int REFUSE_ENCRYPTION = 'N';

  private final FaultNetwork network;
  private final String server;
  private final int port;
  private final Socket client;
  private volatile @Nullable Socket upstream;

  /** Until a StartupMessage names it; a cancel request keeps this one. */
  private volatile Link link;

  LinkPump(FaultNetwork network, String server, int port, Socket client) {
    this.network = network;
    this.server = server;
    this.port = port;
    this.client = client;
    this.link = new Link(server, "", "", 1);
  }

  String server() {
    return server;
  }

  /** Carries what the client sends until the link ends. */
  void run() {
    try {
      client.setTcpNoDelay(true);
      Framer framer = new Framer(Direction.TO_SERVER);
      pump(client.getInputStream(), framer, this::fromClient);
    } catch (IOException | IllegalArgumentException e) {
      // The link has ended, by a rule or by either side: nothing that a proxy could tell anybody.
    } finally {
      cut();
    }
  }

  /** Ends both sides in order: what was passed on before arrives. */
  void cut() {
    end(false);
  }

  private void reset() {
    end(true);
  }

  private void end(boolean abruptly) {
    Socket to = upstream;
    int sourcePort = to == null ? 0 : to.getLocalPort();
    close(client, abruptly);
    close(to, abruptly);
    network.ended(this, sourcePort);
  }

  private interface Sink {
    /** False when the link has ended with this message. */
    boolean take(Message message) throws IOException;
  }

  private static void pump(InputStream in, Framer framer, Sink sink) throws IOException {
    byte[] chunk = new byte[CHUNK];
    for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
      for (Message message : framer.push(chunk, count)) {
        if (!sink.take(message)) {
          return;
        }
      }
    }
  }

  private boolean fromClient(Message message) throws IOException {
    if (message.kind() == Message.ENCRYPTION) {
      client.getOutputStream().write(REFUSE_ENCRYPTION);
      return true;
    }
    if (message.kind() == Message.STARTUP) {
      link = network.name(server, Link.parameters(message));
    }
    Socket to = upstream == null ? connect(message) : upstream;
    return treat(message, to.getOutputStream());
  }

  private Socket connect(Message first) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    upstream = socket;
    network.opened(server, socket.getLocalPort());
    if (network.isDown()) {
      cut();
    }
    if (first.kind() == Message.STARTUP) {
      FaultNetwork.thread("faults-from-" + server, () -> fromServer(socket));
    }
    return socket;
  }

  private void fromServer(Socket socket) {
    try {
      OutputStream out = client.getOutputStream();
      Framer framer = new Framer(Direction.TO_CLIENT);
      pump(socket.getInputStream(), framer, message -> treat(message, out));
    } catch (IOException | IllegalArgumentException e) {
      // As in run().
    } finally {
      cut();
    }
  }

  private boolean treat(Message message, OutputStream out) throws IOException {
    network.journal().note(link, message);
    Action action = network.plan().decide(link, message);
    List<byte[]> sent = action.match(new Treatment(message.bytes()));
    for (byte[] each : sent) {
      out.write(each);
    }
    return !client.isClosed() && !(action instanceof Action.Truncate);
  }

  /** Does what an action asks for and returns what goes on. */
  private final class Treatment implements Action.Cases<List<byte[]>> {
    private final byte[] whole;

    Treatment(byte[] whole) {
      this.whole = whole;
    }

    @Override
    public List<byte[]> pass() {
      return List.of(whole);
    }

    @Override
    public List<byte[]> delay(Duration time) {
      long end = System.nanoTime() + time.toNanos();
      for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      return List.of(whole);
    }

    @Override
    public List<byte[]> hold(Gate gate) {
      try {
        gate.pass();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return List.of(whole);
    }

    @Override
    public List<byte[]> drop() {
      return List.of();
    }

    @Override
    public List<byte[]> cut() {
      LinkPump.this.cut();
      return List.of();
    }

    @Override
    public List<byte[]> reset() {
      LinkPump.this.reset();
      return List.of();
    }

    @Override
    public List<byte[]> duplicate() {
      return List.of(whole, whole);
    }

    @Override
    public List<byte[]> truncate(int bytes) {
      return List.of(Arrays.copyOf(whole, Math.min(bytes, whole.length)));
    }

    @Override
    public List<byte[]> down() {
      network.down();
      return List.of();
    }
  }

  private static void close(@Nullable Socket socket, boolean abruptly) {
    if (socket == null) {
      return;
    }
    try {
      if (abruptly) {
        socket.setSoLinger(true, 0);
      } else if (!socket.isClosed() && socket.isConnected()) {
        socket.shutdownOutput();
      }
    } catch (IOException e) {
      // It has ended already.
    }
    try {
      socket.close();
    } catch (IOException e) {
      // It has ended already.
    }
  }
}
