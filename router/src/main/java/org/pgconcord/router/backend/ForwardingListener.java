package org.pgconcord.router.backend;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.TransactionStatus;

/** A listener in front of another, which hears all. */
public class ForwardingListener implements BackendListener {
  private final BackendListener target;

  public ForwardingListener(BackendListener target) {
    this.target = target;
  }

  @Override
  public void bound() {
    target.bound();
  }

  @Override
  public void parameterDescription(Frame frame) {
    target.parameterDescription(frame);
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
  public void complete(Frame frame) {
    target.complete(frame);
  }

  @Override
  public void emptyQuery() {
    target.emptyQuery();
  }

  @Override
  public boolean copyIn(Frame response) {
    return target.copyIn(response);
  }

  @Override
  public void copyWritable() {
    target.copyWritable();
  }

  @Override
  public boolean copyOut(Frame response) {
    return target.copyOut(response);
  }

  @Override
  public void copyData(Frame frame) {
    target.copyData(frame);
  }

  @Override
  public void copyDone() {
    target.copyDone();
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
  public void error(Frame frame) {
    target.error(frame);
  }

  @Override
  public void fenced(Frame frame) {
    target.fenced(frame);
  }

  @Override
  public void ready(TransactionStatus status) {
    target.ready(status);
  }

  @Override
  public void lost(ConcordException cause) {
    target.lost(cause);
  }
}
