package org.pgconcord.testkit.fault;

import java.util.function.Predicate;

/**
 * What happens to the n-th message that fits, counted from 1 over all links that fit.
 *
 * @param what tells whether a message is counted
 */
public record Rule(Predicate<Link> where, Predicate<Message> what, int nth, Action action) {
  public Rule {
    if (nth < 1) {
      throw new IllegalArgumentException("messages are counted from 1, not " + nth);
    }
  }

  /** Begins a rule about messages that go this way. */
  public static Draft on(Direction direction) {
    return new Draft(link -> true, message -> message.direction() == direction, 1);
  }

  /** A rule without its action; each step narrows it. */
  public record Draft(Predicate<Link> where, Predicate<Message> what, int nth) {
    public Draft server(String name) {
      return link(link -> link.server().equals(name));
    }

    public Draft user(String name) {
      return link(link -> link.user().equals(name));
    }

    public Draft application(String name) {
      return link(link -> link.application().equals(name));
    }

    public Draft link(Predicate<Link> condition) {
      return new Draft(where.and(condition), what, nth);
    }

    /** Of these type bytes, or the kinds of {@link Message}. */
    public Draft kinds(String kinds) {
      return new Draft(where, what.and(message -> kinds.indexOf(message.kind()) >= 0), nth);
    }

    /** In which this text occurs, in ASCII. */
    public Draft containing(String text) {
      return new Draft(where, what.and(message -> message.contains(text)), nth);
    }

    public Draft nth(int n) {
      return new Draft(where, what, n);
    }

    public Rule then(Action action) {
      return new Rule(where, what, nth, action);
    }
  }
}
