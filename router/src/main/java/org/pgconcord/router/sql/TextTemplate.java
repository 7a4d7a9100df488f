package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * A text made of fixed pieces and of ranges of a client's tokens: the same for every statement of
 * one shape, whatever its constants are.
 */
public record TextTemplate(List<Piece> pieces) {
  public TextTemplate {
    pieces = List.copyOf(pieces);
  }

  /**
   * A fixed text, or the tokens from {@code from} to {@code to} (exclusive) as they are written.
   */
  public record Piece(String text, int from, int to) {}

  /** The text for this statement. */
  public String render(StatementText statement) {
    StringBuilder out = new StringBuilder(128);
    for (Piece piece : pieces) {
      out.append(piece.text);
      if (piece.from < piece.to) {
        Tokens tokens = statement.tokens();
        out.append(statement.sql(), tokens.start(piece.from), tokens.end(piece.to - 1));
      }
    }
    return out.toString();
  }

  /** Collects pieces in order. */
  public static final class Builder {
    private final List<Piece> pieces = new ArrayList<>();

    public Builder add(String text) {
      pieces.add(new Piece(text, 0, 0));
      return this;
    }

    public Builder add(Clauses.Range tokens) {
      pieces.add(new Piece("", tokens.from(), tokens.to()));
      return this;
    }

    public Builder add(TextTemplate template) {
      pieces.addAll(template.pieces);
      return this;
    }

    public TextTemplate build() {
      return new TextTemplate(pieces);
    }
  }
}
