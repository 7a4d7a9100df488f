package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code reference ...}: reference tables and their copies. */
@Command(
    name = "reference",
    mixinStandardHelpOptions = true,
    description = "Compare and repair the copies of reference tables.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ReferenceStatusCommand.class,
      ReferenceVerifyCommand.class,
      ReferenceRepairCommand.class
    })
final class ReferenceCommand {}
