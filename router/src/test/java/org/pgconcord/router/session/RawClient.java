package org.pgconcord.router.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.FrameBytes;

/** A client that sends whatever bytes it likes. */
public final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final DataInputStream in;

  RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(20_000);
    in = new DataInputStream(socket.getInputStream());
  }

  public static RawClient loggedIn(int port) throws IOException {
    RawClient client = new RawClient(port);
    client.startup(3 << 16, "user\0demo\0database\0app\0\0");
    client.untilReady();
    return client;
  }

  void startup(int version, String parameters) throws IOException {
    send(FrameBytes.packet(version, FrameBytes.utf8(parameters)));
  }

  void send(ByteBuf bytes) throws IOException {
    byte[] all = new byte[bytes.readableBytes()];
    bytes.readBytes(all);
    socket.getOutputStream().write(all);
  }

  public void send(Consumer<ByteBuf> writer) throws IOException {
    ByteBuf out = Unpooled.buffer();
    writer.accept(out);
    send(out);
  }

  int oneByte() throws IOException {
    return in.read();
  }

  /** Letters of the answers up to ReadyForQuery; errors with their SQLSTATE. */
  public List<String> untilReady() throws IOException {
    List<String> letters = new ArrayList<>();
    while (letters.isEmpty() || !letters.get(letters.size() - 1).startsWith("Z")) {
      letters.add(next());
    }
    return letters;
  }

  /** Letters of the answers up to the end of the connection. */
  public List<String> untilClosed() throws IOException {
    List<String> letters = new ArrayList<>();
    try {
      while (true) {
        letters.add(next());
      }
    } catch (EOFException | SocketException closed) {
      return letters;
    }
  }

  private String next() throws IOException {
    byte type = in.readByte();
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    if (type == 'E') {
      ErrorFields fields = ErrorFields.read(Frame.of(FrameBytes.message('E', body)));
      return "E " + fields.field('S') + " " + fields.sqlState();
    }
    return type == 'Z' ? "Z" + (char) body[0] : String.valueOf((char) type);
  }

  /** Sends no more. */
  void end() throws IOException {
    try {
      socket.shutdownOutput();
    } catch (SocketException alreadyClosed) {
      // The router was faster.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
