/**
 * What has to be true before pgConcord can work, checked and explained: servers ({@link
 * org.pgconcord.daemon.doctor.ServerChecks}), clients' verifiers ({@link
 * org.pgconcord.daemon.doctor.VerifierChecks}), the topology against the tables, the service role's
 * rights, which {@link org.pgconcord.daemon.doctor.Grants} prints as SQL. Probes read facts from a
 * shard; checks are pure functions of them. {@code doctor} shows all of it, {@code gsi build}
 * refuses on what fails.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.doctor;
