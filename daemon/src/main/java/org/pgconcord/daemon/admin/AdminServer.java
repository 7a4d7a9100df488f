package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDK's HTTP server with our checks in front of the routes: loopback only, Host and Origin of
 * this machine, bounded body, JSON in and out. Requests run on up to {@value #THREADS_MAX} threads;
 * a long operation (verify) keeps its thread and its client until it ends.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
  private static final int BODY_BYTES_MAX = 4 << 20;
  private static final int THREADS_MAX = 32;

  private final HttpServer server;
  private final List<Route> routes;
  private final ExecutorService threads;

  public AdminServer(InetSocketAddress listen, List<Route> routes) {
    Address.requireLoopback(listen);
    this.routes = List.copyOf(routes);
    this.threads = threads();
    try {
      server = HttpServer.create(listen, 64);
    } catch (BindException e) {
      throw ErrorCode.CONFIG_ADDRESS_TAKEN
          .because(
              "the admin address "
                  + listen.getHostString()
                  + ":"
                  + listen.getPort()
                  + " cannot be opened: "
                  + e.getMessage())
          .withHint("Choose another one with --http-port (demo) or admin.listen (serve).")
          .withCause(e);
    } catch (IOException e) {
      throw ErrorCode.CONFIG_INVALID.because("the admin server cannot start: " + e).withCause(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::exchange);
  }

  public void start() {
    server.start();
    log.info("admin listening address={}:{}", address().getHostString(), address().getPort());
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Stops listening at once; requests under way are cut. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void exchange(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer;
      try {
        answer = answer(exchange);
      } catch (Exception e) {
        ConcordException known = ErrorDocument.known(e);
        if (ErrorDocument.worthLogging(known.code())) {
          log.error("admin request failed path={}", exchange.getRequestURI().getPath(), e);
        }
        answer = Answer.json(ErrorDocument.httpStatus(known.code()), ErrorDocument.of(known));
      }
      send(exchange, answer);
    }
  }

  private Answer answer(HttpExchange exchange) throws Exception {
    String path = exchange.getRequestURI().getRawPath();
    if (!fromThisMachine(exchange)) {
      return Answer.text(403, "the Host or Origin header names another machine\n");
    }
    for (Route route : routes) {
      Optional<Map<String, String>> arguments = route.arguments(path);
      if (arguments.isPresent() && route.method().equals(exchange.getRequestMethod())) {
        return route.handler().answer(new Request(arguments.get(), body(exchange)));
      }
    }
    return Answer.text(404, "no such page\n");
  }

  private static boolean fromThisMachine(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    String origin = exchange.getRequestHeaders().getFirst("Origin");
    return host != null
        && Address.namesLoopback(host)
        && (origin == null || Address.namesLoopback(origin.replaceFirst("^https?://", "")));
  }

  private static JsonNode body(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      return Json.tree(Map.of());
    }
    byte[] bytes = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
    if (bytes.length > BODY_BYTES_MAX) {
      throw ErrorCode.ADMIN_REQUEST_INVALID.because(
          "the request's body is larger than " + BODY_BYTES_MAX + " bytes");
    }
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (type == null || !type.startsWith("application/json")) {
      throw ErrorCode.ADMIN_REQUEST_INVALID.because(
          "a POST needs the header Content-Type: application/json");
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.isBlank() ? Json.tree(Map.of()) : Json.read(text, "the request's body");
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] bytes = answer.text().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.type());
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private static ExecutorService threads() {
    AtomicInteger count = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        THREADS_MAX,
        30,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> {
          Thread thread = new Thread(task, "admin-" + count.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        },
        new ThreadPoolExecutor.CallerRunsPolicy());
  }
}
