package org.pgconcord.router.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/** Drops everything. */
class SilentSink implements ResultSink {
  @Override
  public void bound() {}

  @Override
  public void rowDescription(Frame frame) {}

  @Override
  public void noData() {}

  @Override
  public void rows(Frame rows) {}

  @Override
  public void row(List<@Nullable String> values) {}

  @Override
  public void copyIn(Frame response, CopyReceiver receiver) {}

  @Override
  public void copyIn(boolean binary, int columns, CopyReceiver receiver) {}

  @Override
  public void copyOut(Frame response) {}

  @Override
  public void copyData(Frame frame) {}

  @Override
  public void copyData(byte[] bytes) {}

  @Override
  public void copyDone() {}

  @Override
  public void complete(Frame frame) {}

  @Override
  public void complete(String tag) {}

  @Override
  public void emptyQuery() {}

  @Override
  public void suspended() {}

  @Override
  public void notice(Frame frame) {}

  @Override
  public void notice(ErrorFields fields) {}

  @Override
  public void error(Frame frame) {}

  @Override
  public void error(ErrorFields fields) {}

  @Override
  public void done() {}
}
