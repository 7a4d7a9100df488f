/**
 * Who a client is. {@link org.pgconcord.router.auth.ScramServer} checks a client by SCRAM-SHA-256
 * (RFC 5802, RFC 7677) against a {@link org.pgconcord.router.auth.ScramVerifier} from a {@link
 * org.pgconcord.router.auth.VerifierSource}; what it learns on the way, the {@link
 * org.pgconcord.router.auth.ScramKeys}, lets {@link org.pgconcord.router.auth.ScramClient} log in
 * to the shards as the same role without ever seeing a password. Knows no Netty and no session.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.auth;
