package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code gsi ...}: the life of one global secondary index. */
@Command(
    name = "gsi",
    mixinStandardHelpOptions = true,
    description = "Build, verify and switch global secondary indexes.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      GsiBuildCommand.class,
      GsiStatusCommand.class,
      GsiCheckCommand.class,
      GsiVerifyCommand.class,
      GsiEnableCommand.class,
      GsiDisableCommand.class
    })
final class GsiCommand {}
