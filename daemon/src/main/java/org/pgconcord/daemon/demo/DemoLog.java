package org.pgconcord.daemon.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Where the daemon's log goes while the demo talks: all of it into a file, and the progress lines
 * of a build to the narrator as well.
 */
final class DemoLog implements AutoCloseable {
  /** How a progress line begins (docs/formats.md). */
  private static final String PROGRESS = "gsi progress ";

  private final Logger root;
  private final FileAppender<ILoggingEvent> file = new FileAppender<>();
  private final AppenderBase<ILoggingEvent> progress;

  private DemoLog(LoggerContext context, Path path, Narrator narrator) {
    this.root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n");
    encoder.start();
    file.setContext(context);
    file.setFile(path.toString());
    file.setEncoder(encoder);
    file.start();
    progress =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            String message = event.getFormattedMessage();
            if (message.startsWith(PROGRESS)) {
              narrator.say(message);
            }
          }
        };
    progress.setContext(context);
    progress.start();
  }

  /** Silences the console at once; {@link #into} gives the log a place. */
  static void silence() {
    context().getLogger(Logger.ROOT_LOGGER_NAME).detachAndStopAllAppenders();
  }

  static DemoLog into(Path path, Narrator narrator) {
    LoggerContext context = context();
    DemoLog log = new DemoLog(context, path, narrator);
    log.root.setLevel(Level.INFO);
    log.root.addAppender(log.file);
    log.root.addAppender(log.progress);
    return log;
  }

  @Override
  public void close() {
    root.detachAndStopAllAppenders();
  }

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }
}
