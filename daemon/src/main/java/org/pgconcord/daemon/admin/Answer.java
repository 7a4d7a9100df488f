package org.pgconcord.daemon.admin;

/** What a route answers: a status, a media type and the text. */
public record Answer(int status, String type, String text) {
  public static Answer json(Object document) {
    return json(200, document);
  }

  public static Answer json(int status, Object document) {
    return new Answer(status, "application/json", Json.write(document) + "\n");
  }

  public static Answer text(int status, String text) {
    return new Answer(status, "text/plain; charset=utf-8", text);
  }
}
