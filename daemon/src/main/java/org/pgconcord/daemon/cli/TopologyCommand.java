package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code topology ...}: the document that says where rows live. */
@Command(
    name = "topology",
    mixinStandardHelpOptions = true,
    description = "Check topology documents.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = TopologyCheckCommand.class)
final class TopologyCommand {}
