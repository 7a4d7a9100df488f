package org.pgconcord.daemon.transactions;

import java.util.List;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.Resolution;

/** What a step is called; empty for the one that does nothing. */
enum StepNames implements Resolution.Cases<String> {
  INSTANCE;

  @Override
  public String rest() {
    return "";
  }

  @Override
  public String decideAbort() {
    return "abort";
  }

  @Override
  public String end(Decision decision, List<Participant> participants) {
    return decision.word();
  }

  @Override
  public String await(List<Participant> silent) {
    return "await";
  }

  @Override
  public String finish() {
    return "finish";
  }

  @Override
  public String forget() {
    return "forget";
  }
}
