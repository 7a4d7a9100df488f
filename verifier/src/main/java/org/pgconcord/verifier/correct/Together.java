package org.pgconcord.verifier.correct;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.pgconcord.config.error.ErrorCode;

/** Runs tasks side by side, as servers are asked at the same time, and gives back all answers. */
public final class Together {
  private Together() {}

  /** The answers in the order of the tasks; returns or throws only when all have ended. */
  public static <T> List<T> run(ExecutorService threads, List<Callable<T>> tasks)
      throws SQLException, InterruptedException {
    List<T> answers = new ArrayList<>();
    for (Future<T> task : threads.invokeAll(tasks)) {
      try {
        answers.add(task.get());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException cause) {
          throw cause;
        }
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw ErrorCode.VERIFY_FAILED.because("a shard could not be read").withCause(e);
      }
    }
    return answers;
  }
}
