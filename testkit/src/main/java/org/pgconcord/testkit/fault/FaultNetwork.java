package org.pgconcord.testkit.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands before any number of servers on this machine, one loopback port for each, and passes on
 * what their clients send and get, but for what its rules say. Two threads per link; everything
 * ends with {@link #close}.
 */
public final class FaultNetwork implements AutoCloseable {
  private static final int BACKLOG = 128;
  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();

  private final FaultPlan plan = new FaultPlan();
  private final Journal journal = new Journal();
  private final Map<String, ServerSocket> listeners = new TreeMap<>();
  private final Set<LinkPump> open = ConcurrentHashMap.newKeySet();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<Source> sources = new ArrayList<>();
  private volatile boolean down;

  private FaultNetwork() {}

  /** A network before the servers at these loopback ports, by name. */
  public static FaultNetwork before(Map<String, Integer> ports) throws IOException {
    FaultNetwork network = new FaultNetwork();
    try {
      for (Map.Entry<String, Integer> server : ports.entrySet()) {
        network.listen(server.getKey(), server.getValue());
      }
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  /** Where clients of a server connect to. */
  public int port(String server) {
    ServerSocket listener = listeners.get(server);
    if (listener == null) {
      throw new IllegalArgumentException("no server " + server + " in " + listeners.keySet());
    }
    return listener.getLocalPort();
  }

  /**
   * Puts these rules in force instead of the former ones, and begins to count messages and links
   * anew. Links that are open keep their names: begin with none where names matter.
   */
  public void begin(List<Rule> rules) {
    synchronized (numbers) {
      numbers.clear();
    }
    synchronized (sources) {
      sources.clear();
    }
    journal.clear();
    plan.replace(rules);
  }

  /** What has passed since {@link #begin}. */
  public Journal journal() {
    return journal;
  }

  /** How many of the rules have acted. */
  public int acted() {
    return plan.acted();
  }

  /** How many links are open. */
  public int links() {
    return open.size();
  }

  /**
   * Where a link comes from, as its server sees it: {@code pg_stat_activity.client_port} tells by
   * it which backends are the network's. A port is used again when its link has ended, by anybody:
   * the backend of a link began before the link's end.
   *
   * @param ended in milliseconds of the clock; {@link Long#MAX_VALUE} while it is open
   */
  public record Source(String server, int port, long ended) {}

  /** The links since {@link #begin}, in the order in which they were opened. */
  public List<Source> sources() {
    synchronized (sources) {
      return List.copyOf(sources);
    }
  }

  /** How many links to a server are open. */
  public int links(String server) {
    return (int) open.stream().filter(pump -> pump.server().equals(server)).count();
  }

  void opened(String server, int sourcePort) {
    synchronized (sources) {
      sources.add(new Source(server, sourcePort, Long.MAX_VALUE));
    }
  }

  /** True when every link has ended within {@code limit}, its last message counted. */
  public boolean awaitNoLinks(Duration limit) {
    long begin = System.nanoTime();
    while (!open.isEmpty()) {
      if (System.nanoTime() - begin > limit.toNanos()) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /** Ends every link; none begins until {@link #up}. */
  public void down() {
    down = true;
    open.forEach(LinkPump::cut);
  }

  public void up() {
    down = false;
  }

  public boolean isDown() {
    return down;
  }

  FaultPlan plan() {
    return plan;
  }

  /** May be told more than once. */
  void ended(LinkPump pump, int sourcePort) {
    open.remove(pump);
    Source before = new Source(pump.server(), sourcePort, Long.MAX_VALUE);
    long now = System.currentTimeMillis();
    synchronized (sources) {
      sources.replaceAll(
          each -> each.equals(before) ? new Source(each.server(), each.port(), now) : each);
    }
  }

  Link name(String server, Map<String, String> parameters) {
    String user = parameters.getOrDefault("user", "");
    String application = parameters.getOrDefault("application_name", "");
    synchronized (numbers) {
      int number = numbers.merge(server + "/" + user + "/" + application, 1, Integer::sum);
      return new Link(server, user, application, number);
    }
  }

  private void listen(String server, int port) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    listeners.put(server, listener);
    thread("faults-" + server, () -> acceptAll(server, port, listener));
  }

  private void acceptAll(String server, int port, ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        LinkPump pump = new LinkPump(this, server, port, client);
        open.add(pump);
        if (down) {
          pump.cut();
        } else {
          thread("faults-to-" + server, pump::run);
        }
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    down();
    for (ServerSocket listener : listeners.values()) {
      try {
        listener.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
