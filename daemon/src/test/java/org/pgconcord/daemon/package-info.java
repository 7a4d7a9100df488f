/** Tests of the whole: the command line, the admin server, and the daemon as a process. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon;
