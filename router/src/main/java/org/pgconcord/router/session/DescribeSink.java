package org.pgconcord.router.session;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * Takes the description of a statement: the parameters' types, then the row description or NoData;
 * or an error. {@link #done} ends it, exactly once.
 */
public interface DescribeSink {
  void parameterDescription(Frame frame);

  void rowDescription(Frame frame);

  void noData();

  void notice(Frame frame);

  void error(Frame frame);

  void error(ErrorFields fields);

  default void error(ConcordException error) {
    error(ErrorFields.of(error));
  }

  void done();
}
