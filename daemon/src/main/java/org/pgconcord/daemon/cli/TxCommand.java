package org.pgconcord.daemon.cli;

import picocli.CommandLine.Command;

/** {@code tx ...}: transactions over several shards that have not ended. */
@Command(
    name = "tx",
    mixinStandardHelpOptions = true,
    description = "List transactions over several shards that have not ended, and end them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {TxListCommand.class, TxResolveCommand.class})
final class TxCommand {}
