package org.pgconcord.router.session;

import java.util.List;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * Runs the statements of one session and owns its transaction. One runner per session, made by a
 * {@link Factory}; called on the session's event loop, one call at a time (the next comes after
 * {@code done}), but for {@link #cancel} and {@link #close}, which may come at any moment on that
 * loop.
 *
 * <p><b>Transactions.</b> BEGIN, COMMIT, ROLLBACK are statements like others: the runner reads
 * them, and {@link #status} says where it stands (a statement that is not allowed in a failed
 * transaction is answered with 25P02 by the runner). Several statements of one simple Query, or
 * several Executes before one Sync, are one implicit transaction: the session calls {@link
 * #beginImplicit} before the first and {@link #endImplicit} after the last. A BEGIN among them
 * makes the transaction explicit; a COMMIT ends it, and the statements after it begin the next
 * implicit one. A single statement comes without these calls and commits by itself.
 */
public interface StatementRunner {

  /** Makes the runner of a session that has logged in. */
  interface Factory {
    StatementRunner create(SessionContext session);
  }

  /**
   * The statements of a simple Query's text, each without its semicolon; what holds no token is
   * left out. Throws a ConcordException for a text that cannot be cut (an unended quote).
   */
  List<String> split(String sql);

  /** Runs a statement; every fault goes into the sink. */
  void run(StatementCall call, ResultSink sink);

  /**
   * Describes a statement whose parameters are not known yet: one shard that can describe it is
   * asked. Also how a Parse that nothing follows is checked.
   */
  void describe(ClientStatement statement, DescribeSink sink);

  /** A cursor of this name is open: portals and cursors have their names in common. */
  boolean hasCursor(String name);

  /** Tells the columns of an open cursor, and no parameters. */
  void describeCursor(String name, DescribeSink sink);

  /** The client has closed a portal that was suspended, or it ended with its transaction. */
  void closePortal(ClientPortal portal);

  void beginImplicit();

  /**
   * Ends the implicit transaction: commits, or rolls back when a statement of it failed; nothing
   * when it has become explicit. Only {@code notice}, {@code error} and {@code done} are used.
   */
  void endImplicit(ResultSink sink);

  /** The session itself found an error (an unknown portal, say): an open transaction has failed. */
  void fail();

  TransactionStatus status();

  /**
   * What runs now may be committed although nobody is told: if the session ends before it does, its
   * outcome is unknown. What is open otherwise is rolled back.
   */
  boolean mayCommit();

  /** Cancels the running call, if any; it ends through its sink as usual. */
  void cancel();

  /** The client is gone: roll back. The session closes the backends afterwards. */
  void close();
}
