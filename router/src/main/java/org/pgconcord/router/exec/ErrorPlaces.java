package org.pgconcord.router.exec;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;
import org.pgconcord.router.wire.ErrorFields;

/**
 * Where in the client's own text an error is that a shard found in a text which the router made of
 * it. Such texts have tokens more (an index's shard key) or fewer (other shards' rows), in the same
 * order, so that the tokens of the two are aligned: as many as possible, and rather next to each
 * other. An error in a token that the client did not write has no place.
 */
final class ErrorPlaces {
  private static final char POSITION = 'P';

  /** Beyond that many pairs of tokens the place is left out. */
  private static final int PAIRS_MAX = 1 << 20;

  private ErrorPlaces() {}

  /** Each position counts characters from 1, as the protocol has it. */
  static ErrorFields moved(ErrorFields fields, String sent, String client) {
    String position = fields.field(POSITION);
    if (position == null || sent.equals(client)) {
      return fields;
    }
    int place = place(Integer.parseInt(position), sent, client);
    return place > 0
        ? fields.with(POSITION, Integer.toString(place))
        : Gather.withoutPosition(fields);
  }

  private static int place(int position, String sent, String client) {
    if (position < 1 || position > sent.codePointCount(0, sent.length())) {
      return 0;
    }
    int offset = sent.offsetByCodePoints(0, position - 1);
    try {
      int found =
          offset(offset, StatementText.one(sent).tokens(), StatementText.one(client).tokens());
      return found < 0 ? 0 : client.codePointCount(0, found) + 1;
    } catch (ConcordException unreadable) {
      return 0;
    }
  }

  private static int offset(int offset, Tokens sent, Tokens client) {
    int token = 0;
    while (token < sent.size() && sent.end(token) <= offset) {
      token++;
    }
    if (token == sent.size() || sent.start(token) > offset) {
      return -1;
    }
    int partner = partner(token, sent, client);
    return partner < 0 ? -1 : client.start(partner) + offset - sent.start(token);
  }

  /** The client's token that {@code token} is; -1 for none. */
  private static int partner(int token, Tokens sent, Tokens client) {
    int rows = sent.size();
    int columns = client.size();
    if ((long) rows * columns > PAIRS_MAX) {
      return -1;
    }
    int[][] best = new int[rows + 1][columns + 1];
    for (int i = rows - 1; i >= 0; i--) {
      for (int j = columns - 1; j >= 0; j--) {
        best[i][j] = Math.max(best[i + 1][j], best[i][j + 1]);
        if (same(sent, i, client, j)) {
          best[i][j] = Math.max(best[i][j], gain(best, sent, i, client, j));
        }
      }
    }
    int j = 0;
    for (int i = 0; i <= token; i++) {
      while (j < columns && best[i][j + 1] == best[i][j]) {
        j++;
      }
      boolean paired =
          j < columns && same(sent, i, client, j) && best[i][j] == gain(best, sent, i, client, j);
      if (i == token) {
        return paired ? j : -1;
      } else if (paired) {
        j++;
      }
    }
    return -1;
  }

  private static int gain(int[][] best, Tokens sent, int i, Tokens client, int j) {
    boolean next = i + 1 < sent.size() && j + 1 < client.size() && same(sent, i + 1, client, j + 1);
    return best[i + 1][j + 1] + (next ? 3 : 2);
  }

  private static boolean same(Tokens sent, int i, Tokens client, int j) {
    return sent.text(i).equals(client.text(j));
  }
}
