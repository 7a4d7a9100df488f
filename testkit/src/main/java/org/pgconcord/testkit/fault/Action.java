package org.pgconcord.testkit.fault;

import java.time.Duration;

/** What happens to one message. */
public sealed interface Action {
  /** It goes on, as every message does that no rule names. */
  record Pass() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.pass();
    }
  }

  /** It and all behind it in its direction wait; the other direction does not. */
  record Delay(Duration time) implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.delay(time);
    }
  }

  /** As a delay that ends when the test says so. */
  record Hold(Gate gate) implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.hold(gate);
    }
  }

  /** It vanishes; what is behind it goes on. */
  record Drop() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.drop();
    }
  }

  /** It is the last that was not delivered: both sides see the connection end. */
  record Cut() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.cut();
    }
  }

  /** As a cut by RST: both sides see the connection reset. */
  record Reset() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.reset();
    }
  }

  /** It arrives twice. */
  record Duplicate() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.duplicate();
    }
  }

  /** Its first bytes arrive, then the connection ends. */
  record Truncate(int bytes) implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.truncate(bytes);
    }
  }

  /**
   * Every link of the network ends with it and none begins until the network is up again: what
   * servers see when the machine of their client dies.
   */
  record Down() implements Action {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.down();
    }
  }

  <R> R match(Cases<R> cases);

  /** One method per action. */
  interface Cases<R> {
    R pass();

    R delay(Duration time);

    R hold(Gate gate);

    R drop();

    R cut();

    R reset();

    R duplicate();

    R truncate(int bytes);

    R down();
  }
}
