package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code topology ...}: the document that says where rows live. */
@Command(
    name = "topology",
    mixinStandardHelpOptions = true,
    description = "Check, compare, show and apply topology documents.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TopologyCheckCommand.class,
      TopologyDiffCommand.class,
      TopologyShowCommand.class,
      TopologyApplyCommand.class,
      TopologyHistoryCommand.class
    })
final class TopologyCommand {}
