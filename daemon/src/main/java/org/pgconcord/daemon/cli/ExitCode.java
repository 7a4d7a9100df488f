package org.pgconcord.daemon.cli;

import org.pgconcord.config.error.ErrorCategory;
import org.pgconcord.config.error.ErrorCode;

/** What a command's exit status says; documented in docs/formats.md. */
public enum ExitCode {
  OK(0),
  FAILED(1),
  USAGE(2),
  /** A verification ran and found differences. */
  DIFFERENCES(3),
  /** Refused as unsafe; the message lists what has to be met. */
  REFUSED(4),
  /** The wait is over; what was asked for may still go on in the daemon. */
  TIMED_OUT(5),
  /** The daemon, or a shard, cannot be reached. */
  UNREACHABLE(7),
  BAD_CONFIGURATION(78);

  private final int status;

  ExitCode(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }

  /** The exit code of a command that ended in this error. */
  public static ExitCode of(ErrorCode code) {
    if (code == ErrorCode.ADMIN_TIMED_OUT
        || code == ErrorCode.GSI_TIMED_OUT
        || code == ErrorCode.REFERENCE_BUSY) {
      return TIMED_OUT;
    }
    if (code == ErrorCode.ADMIN_UNREACHABLE || code == ErrorCode.SHARD_UNREACHABLE) {
      return UNREACHABLE;
    }
    if (code == ErrorCode.CONFIG_ADDRESS_TAKEN) {
      return FAILED;
    }
    if (code.id().startsWith("config/") || code.id().startsWith("topology/invalid")) {
      return BAD_CONFIGURATION;
    }
    return code.category() == ErrorCategory.REFUSED ? REFUSED : FAILED;
  }
}
