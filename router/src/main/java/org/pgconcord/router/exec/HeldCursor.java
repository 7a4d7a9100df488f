package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import org.pgconcord.router.plan.SessionCommand.FetchCursor;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * A cursor whose rows are all here, in text format: it goes in any direction, by PostgreSQL's rules
 * (src/backend/tcop/pquery.c, PortalRunFetch). The place is the number of the row that was given
 * last; 0 is before the first row, and one more than there are is behind the last.
 */
final class HeldCursor {
  private final RowDescription description;
  private final List<Frame> rows;
  private final boolean backward;
  private int place;

  /** {@code backward}: it was not declared NO SCROLL. */
  HeldCursor(RowDescription description, List<Frame> rows, boolean backward) {
    this.description = description;
    this.rows = List.copyOf(rows);
    this.backward = backward;
  }

  RowDescription description() {
    return description;
  }

  long bytes() {
    return rows.stream().mapToLong(Frame::length).sum();
  }

  /**
   * The rows of a FETCH, in their order.
   *
   * @param count above 0 where the command is to be counted as if it had given a row
   */
  record Found(List<Frame> rows, long count) {}

  /** Whether it would have to go back, and must not. */
  boolean refuses(FetchCursor command) {
    if (backward) {
      return false;
    }
    long count = command.count();
    return switch (command.direction()) {
      case FORWARD, RELATIVE -> count < 0 || (count == 0 && isOnRow() && !command.move());
      case BACKWARD -> count > 0 || (count == 0 && isOnRow() && !command.move());
      case ABSOLUTE -> count < 0 || (place > 0 && count <= place);
    };
  }

  Found fetch(FetchCursor command) {
    long count = command.count();
    return switch (command.direction()) {
      case FORWARD -> count < 0 ? backward(-count) : forward(count, command.move());
      case BACKWARD ->
          count < 0
              ? forward(-count, command.move())
              : count == 0 ? again(command.move()) : backward(count);
      case ABSOLUTE -> absolute(count);
      case RELATIVE -> relative(count, command.move());
    };
  }

  private boolean isOnRow() {
    return place > 0 && place <= rows.size();
  }

  private Found forward(long count, boolean move) {
    if (count == 0) {
      return again(move);
    }
    List<Frame> found = new ArrayList<>();
    while (found.size() < count && place < rows.size()) {
      found.add(rows.get(place++));
    }
    if (found.size() < count) {
      place = rows.size() + 1;
    }
    return new Found(found, found.size());
  }

  private Found backward(long count) {
    List<Frame> found = new ArrayList<>();
    while (found.size() < count && place > 1) {
      place--;
      found.add(rows.get(place - 1));
    }
    if (found.size() < count) {
      place = 0;
    }
    return new Found(found, found.size());
  }

  /** The row that it is on. */
  private Found again(boolean move) {
    if (!isOnRow()) {
      return new Found(List.of(), 0);
    }
    return new Found(move ? List.of() : List.of(rows.get(place - 1)), 1);
  }

  private Found absolute(long count) {
    if (count > 0) {
      place = (int) Math.min(count - 1, rows.size() + 1);
      return forward(1, false);
    }
    place = count == 0 ? 0 : rows.size() + 1;
    if (count < -1) {
      backward(-count - 1);
    }
    return count == 0 ? new Found(List.of(), 0) : backward(1);
  }

  private Found relative(long count, boolean move) {
    if (count > 1) {
      forward(count - 1, true);
    } else if (count < -1) {
      backward(-count - 1);
    }
    return count == 0 ? again(move) : count > 0 ? forward(1, move) : backward(1);
  }
}
