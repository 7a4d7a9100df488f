package org.pgconcord.daemon.demo;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Where the log goes while the demo talks: into a file in the demo's directory, and to the narrator
 * only what a reader of the story should see. Warnings stay in the file; what they are about shows
 * in the story's own checks.
 */
final class DemoLog implements AutoCloseable {
  /** How a progress line begins (docs/formats.md), and the note about an earlier demo's end. */
  private static final List<String> TOLD = List.of("gsi progress ", "an earlier run was killed");

  private final LoggerContext context;
  private final Logger root;

  private DemoLog(LoggerContext context) {
    this.context = context;
    this.root = context.getLogger(Logger.ROOT_LOGGER_NAME);
  }

  /** Takes the log off the console. */
  static DemoLog begin(Narrator narrator) {
    DemoLog log = new DemoLog((LoggerContext) LoggerFactory.getILoggerFactory());
    log.root.detachAndStopAllAppenders();
    ProgressFilter filter = new ProgressFilter(System::nanoTime);
    AppenderBase<ILoggingEvent> told =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            String message = event.getFormattedMessage();
            if (TOLD.stream().anyMatch(message::startsWith) && filter.show(message)) {
              narrator.say(message);
            }
          }
        };
    log.add(told);
    return log;
  }

  /** From now on everything goes into this file too. */
  void into(Path path) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n");
    encoder.start();
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setFile(path.toString());
    file.setEncoder(encoder);
    add(file);
  }

  @Override
  public void close() {
    root.detachAndStopAllAppenders();
  }

  private void add(Appender<ILoggingEvent> appender) {
    appender.setContext(context);
    appender.start();
    root.addAppender(appender);
  }
}
