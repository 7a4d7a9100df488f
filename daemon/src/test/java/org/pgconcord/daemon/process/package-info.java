/**
 * The daemon as a process: started from the built classes in a JVM of its own over an embedded
 * cluster, ended politely or by SIGKILL, started again on the same directories and ports. Entry
 * type: {@link org.pgconcord.daemon.process.SampleSystem}.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.process;
