package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code reference ...}: reference tables and their copies. */
@Command(
    name = "reference",
    mixinStandardHelpOptions = true,
    description = "Compare the copies of reference tables.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = ReferenceVerifyCommand.class)
final class ReferenceCommand {}
