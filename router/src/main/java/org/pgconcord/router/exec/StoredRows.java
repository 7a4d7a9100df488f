package org.pgconcord.router.exec;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * Gives the client what a statement answers that is run in place of its own, but for the end, which
 * is told when the transaction has ended too.
 */
final class StoredRows extends ForwardingSink {
  private @Nullable String tag;
  private boolean failed;

  StoredRows(ResultSink client) {
    super(client);
  }

  /** What it ended with; empty when it failed, of which the client has been told. */
  Optional<String> tag() {
    return failed ? Optional.empty() : Optional.ofNullable(tag);
  }

  @Override
  public void bound() {}

  @Override
  public void complete(Frame frame) {
    tag = CommandTag.read(frame);
  }

  @Override
  public void complete(String text) {
    tag = text;
  }

  @Override
  public void error(Frame frame) {
    error(ErrorFields.read(frame));
  }

  @Override
  public void error(ErrorFields fields) {
    failed = true;
    super.error(Gather.withoutPosition(fields));
  }

  @Override
  public void done() {}
}
