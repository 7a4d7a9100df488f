/**
 * Is what clients saw possible under an isolation level? Clients append numbers, each once, to
 * lists and read lists whole; from the lists that were read follows in which order each list was
 * written, and from that who must have come before whom. Entry type: {@link
 * org.pgconcord.testkit.history.HistoryChecker}. Source: Kingsbury and Alvaro, "Elle" (VLDB 2020);
 * the anomalies' names are those of Adya's thesis (1999). Knows nothing of how a history was made.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.history;
