package org.pgconcord.router.exec;

import java.util.Optional;
import org.pgconcord.router.plan.SessionCommand.FetchCursor;

/** A cursor whose rows are made as they are asked for, and not kept: it goes forward. */
final class ForwardCursor {
  private final RowStream rows;
  private long given;
  private boolean behindLast;

  ForwardCursor(RowStream rows) {
    this.rows = rows;
  }

  RowStream rows() {
    return rows;
  }

  /**
   * What a command means here.
   *
   * @param skipped rows that nobody sees
   * @param given those behind them; {@link FetchCursor#ALL} for all
   * @param counted where nothing is given, what is told
   */
  record Step(long skipped, long given, long counted) {
    static final Step NOWHERE = new Step(0, 0, 0);
  }

  /** Empty where it would have to go back. */
  Optional<Step> step(FetchCursor command) {
    long count = command.count();
    return switch (command.direction()) {
      case FORWARD -> count < 0 ? Optional.empty() : forward(count, command);
      case BACKWARD -> count > 0 ? Optional.empty() : forward(-count, command);
      case ABSOLUTE -> absolute(count);
      case RELATIVE ->
          count < 0
              ? Optional.empty()
              : count == 0 ? again(command) : Optional.of(new Step(count - 1, 1, 0));
    };
  }

  private Optional<Step> forward(long count, FetchCursor command) {
    return count == 0 ? again(command) : Optional.of(new Step(0, count, 0));
  }

  /** The row that it is on has gone. */
  private Optional<Step> again(FetchCursor command) {
    boolean onRow = given > 0 && !behindLast;
    if (onRow && !command.move()) {
      return Optional.empty();
    }
    return Optional.of(onRow ? new Step(0, 0, 1) : Step.NOWHERE);
  }

  private Optional<Step> absolute(long count) {
    boolean atStart = given == 0 && !behindLast;
    if (count == 0 && atStart) {
      return Optional.of(Step.NOWHERE);
    }
    return count > given && !behindLast
        ? Optional.of(new Step(count - given - 1, 1, 0))
        : Optional.empty();
  }

  /** So many rows were given, or skipped; fewer than were asked for at the end alone. */
  void passed(long count, boolean fewer) {
    given += count;
    behindLast |= fewer;
  }
}
