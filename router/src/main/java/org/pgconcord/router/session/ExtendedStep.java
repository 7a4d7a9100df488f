package org.pgconcord.router.session;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.FrontendMessage;
import org.pgconcord.router.wire.FrontendMessage.Bind;
import org.pgconcord.router.wire.FrontendMessage.Describe;
import org.pgconcord.router.wire.FrontendMessage.Execute;
import org.pgconcord.router.wire.FrontendMessage.Parse;
import org.pgconcord.router.wire.FrontendMessage.Subject;

/**
 * Messages at the head of the queue that one request to a shard can serve. Recognised are
 *
 * <pre>
 * [Parse s] [Bind p of s] [Describe p] Execute p
 * [Parse s] Describe s
 * [Parse s] Bind p of s Describe p
 * [Parse s] Bind p of s
 * Parse s
 * Describe p
 * </pre>
 *
 * <p>A Parse is never answered before a shard has seen it: with the Execute, the Describe, or by a
 * check of its own.
 */
record ExtendedStep(
    @Nullable Parse parse,
    @Nullable Bind bind,
    @Nullable Describe describe,
    @Nullable Execute execute,
    int messages) {

  /** The step at the head; 0 messages when the head is none of the five kinds. */
  static ExtendedStep recognise(Iterator<FrontendMessage> queue) {
    FrontendMessage next = advance(queue);
    Parse parse = null;
    Bind bind = null;
    Describe describe = null;
    Execute execute = null;
    int messages = 0;
    if (next instanceof Parse p) {
      parse = p;
      messages++;
      next = advance(queue);
    }
    if (next instanceof Bind b && (parse == null || parse.statement().equals(b.statement()))) {
      bind = b;
      messages++;
      next = advance(queue);
    }
    if (next instanceof Describe d && describes(d, parse, bind)) {
      describe = d;
      messages++;
      next = advance(queue);
    }
    if (next instanceof Execute e && executes(e, parse, bind, describe)) {
      execute = e;
      messages++;
    }
    return new ExtendedStep(parse, bind, describe, execute, messages);
  }

  private static @Nullable FrontendMessage advance(Iterator<FrontendMessage> queue) {
    return queue.hasNext() ? queue.next() : null;
  }

  private static boolean describes(Describe d, @Nullable Parse parse, @Nullable Bind bind) {
    if (d.subject() == Subject.PORTAL) {
      return bind != null ? bind.portal().equals(d.name()) : parse == null;
    }
    return bind == null && (parse == null || parse.statement().equals(d.name()));
  }

  private static boolean executes(
      Execute e, @Nullable Parse parse, @Nullable Bind bind, @Nullable Describe describe) {
    if (describe != null && describe.subject() == Subject.STATEMENT) {
      return false;
    }
    if (bind != null) {
      return bind.portal().equals(e.portal());
    }
    return parse == null && (describe == null || describe.name().equals(e.portal()));
  }
}
