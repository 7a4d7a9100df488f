package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.admin.Json;

/** Talks to a running daemon's admin API; its errors come back as the errors they were there. */
public final class AdminClient {
  private final InetSocketAddress daemon;
  private final Duration timeout;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  /**
   * @param timeout for one request; zero waits for ever
   */
  public AdminClient(InetSocketAddress daemon, Duration timeout) {
    this.daemon = daemon;
    this.timeout = timeout;
  }

  /** A name as one segment of a path. */
  public static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public JsonNode get(String path) {
    return send(request(path).GET().build());
  }

  public JsonNode post(String path, Object body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(Json.write(body)))
            .build());
  }

  private HttpRequest.Builder request(String path) {
    String host = daemon.getHostString();
    String base =
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + daemon.getPort();
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + "/api/v1" + path));
    return timeout.isZero() ? builder : builder.timeout(timeout);
  }

  private JsonNode send(HttpRequest request) {
    try {
      HttpResponse<String> response =
          http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      if (response.statusCode() == 404) {
        throw ErrorCode.ADMIN_REQUEST_INVALID.because(
            "the daemon at " + daemon + " does not know this command; is it another version?");
      }
      JsonNode document = Json.read(response.body(), "the daemon's answer");
      if (response.statusCode() >= 400) {
        throw error(document.path("error"));
      }
      return document;
    } catch (HttpConnectTimeoutException e) {
      throw unreachable(e);
    } catch (HttpTimeoutException e) {
      throw ErrorCode.ADMIN_TIMED_OUT
          .because("no answer within " + timeout.toSeconds() + " s from " + daemon)
          .withCause(e);
    } catch (IOException e) {
      throw unreachable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ErrorCode.ADMIN_TIMED_OUT.because("interrupted").withCause(e);
    }
  }

  private ConcordException unreachable(IOException cause) {
    return ErrorCode.ADMIN_UNREACHABLE
        .because("no daemon answers at " + daemon.getHostString() + ":" + daemon.getPort())
        .withCause(cause);
  }

  /** The error that a document describes. */
  static ConcordException error(JsonNode fields) {
    ErrorCode code = ErrorCode.byId(fields.path("code").asText()).orElse(ErrorCode.INTERNAL);
    ConcordException error = code.because(fields.path("message").asText());
    if (fields.hasNonNull("detail")) {
      error = error.withDetail(fields.get("detail").asText());
    }
    return error.withHint(fields.path("hint").asText());
  }
}
