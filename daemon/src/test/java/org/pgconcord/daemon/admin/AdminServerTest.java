package org.pgconcord.daemon.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ErrorCode;

class AdminServerTest {
  private static final List<Route> ROUTES =
      List.of(
          new Route(
              "GET",
              "/api/v1/gsis/{name}/status",
              request -> Answer.json(Map.of("name", request.argument("name")))),
          new Route("POST", "/api/v1/echo", request -> Answer.json(request.body())),
          new Route(
              "GET",
              "/api/v1/refused",
              request -> {
                throw ErrorCode.GATE_REFUSED.because("two conditions").withDetail("a\nb");
              }));

  @Test
  void answersARouteWithItsArguments() throws IOException {
    assertThat(send("GET /api/v1/gsis/app.by%5Femail/status HTTP/1.1\r\nHost: localhost:1\r\n"))
        .startsWith("HTTP/1.1 200")
        .contains("\"name\" : \"app.by_email\"");
  }

  @Test
  void refusesAHostHeaderOfAnotherMachine() throws IOException {
    String request = "GET /api/v1/gsis/x/status HTTP/1.1\r\nHost: ";
    assertThat(send(request + "evil.example:9432\r\n")).startsWith("HTTP/1.1 403");
    assertThat(send(request + "127.0.0.1.evil.example\r\n")).startsWith("HTTP/1.1 403");
    assertThat(send(request + "127.0.0.1\r\nOrigin: http://evil.example\r\n"))
        .startsWith("HTTP/1.1 403");
    assertThat(send(request + "[::1]:9432\r\nOrigin: http://localhost:9432\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @Test
  void refusesAFormThatAWebPageCouldPost() throws IOException {
    assertThat(
            send(
                "POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    + "Content-Type: text/plain\r\n\r\n{}"))
        .startsWith("HTTP/1.1 400")
        .contains("admin/request-invalid");
  }

  @Test
  void writesAnErrorWithItsCodeAndHint() throws IOException {
    assertThat(send("GET /api/v1/refused HTTP/1.1\r\nHost: localhost\r\n"))
        .startsWith("HTTP/1.1 409")
        .contains("\"code\" : \"gsi/gate-refused\"", "\"sqlstate\" : \"55000\"", "\"hint\"");
  }

  @Test
  void listensOnLoopbackOnly() {
    assertThatThrownBy(() -> new AdminServer(new InetSocketAddress(0), ROUTES).close())
        .hasMessageContaining("not a loopback address");
  }

  private static String send(String request) throws IOException {
    try (AdminServer server =
        new AdminServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ROUTES)) {
      server.start();
      try (Socket socket =
          new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
        String whole = request.contains("\r\n\r\n") ? request : request + "\r\n";
        String closing = whole.replaceFirst("\r\n", "\r\nConnection: close\r\n");
        socket.getOutputStream().write(closing.getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}
