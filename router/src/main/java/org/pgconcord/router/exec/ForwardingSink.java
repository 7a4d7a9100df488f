package org.pgconcord.router.exec;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/** A sink in front of another, which sees all but what a subclass keeps. */
abstract class ForwardingSink implements ResultSink {
  private final ResultSink target;

  ForwardingSink(ResultSink target) {
    this.target = target;
  }

  @Override
  public void bound() {
    target.bound();
  }

  @Override
  public void rowDescription(Frame frame) {
    target.rowDescription(frame);
  }

  @Override
  public void noData() {
    target.noData();
  }

  @Override
  public void rows(Frame rows) {
    target.rows(rows);
  }

  @Override
  public void row(List<@Nullable String> values) {
    target.row(values);
  }

  @Override
  public void copyIn(Frame response, CopyReceiver receiver) {
    target.copyIn(response, receiver);
  }

  @Override
  public void copyIn(boolean binary, int columns, CopyReceiver receiver) {
    target.copyIn(binary, columns, receiver);
  }

  @Override
  public void copyOut(Frame response) {
    target.copyOut(response);
  }

  @Override
  public void copyData(Frame frame) {
    target.copyData(frame);
  }

  @Override
  public void copyData(byte[] bytes) {
    target.copyData(bytes);
  }

  @Override
  public void copyDone() {
    target.copyDone();
  }

  @Override
  public void complete(Frame frame) {
    target.complete(frame);
  }

  @Override
  public void complete(String tag) {
    target.complete(tag);
  }

  @Override
  public void emptyQuery() {
    target.emptyQuery();
  }

  @Override
  public void suspended() {
    target.suspended();
  }

  @Override
  public void notice(Frame frame) {
    target.notice(frame);
  }

  @Override
  public void notice(ErrorFields fields) {
    target.notice(fields);
  }

  @Override
  public void error(Frame frame) {
    target.error(frame);
  }

  @Override
  public void error(ErrorFields fields) {
    target.error(fields);
  }

  @Override
  public abstract void done();
}
