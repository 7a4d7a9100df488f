package org.pgconcord.router.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.error.ConcordException;

/** Client and server side against each other, and each against what a bad peer may send. */
class ScramTest {
  private static final byte[] PROCESS_SECRET = new byte[32];

  /** PostgreSQL 15: {@code CREATE ROLE x PASSWORD 'pencil'} with the salt of RFC 7677. */
  private static final String VERIFIER =
      "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
          + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";

  private static ScramServer server(Optional<ScramVerifier> verifier) {
    return new ScramServer(verifier, "user", PROCESS_SECRET, "servernonce");
  }

  private static ScramServer server() {
    return server(ScramVerifier.parse(VERIFIER));
  }

  private static ScramKeys login(BackendSecret secret, ScramServer server) throws ScramException {
    ScramClient client = new ScramClient(secret, "clientnonce");
    ScramServer.Accepted accepted = server.last(client.last(server.first(client.first())));
    client.check(accepted.message());
    return accepted.keys();
  }

  @Test
  void theKeysOfOneLoginOpenTheNext() throws ScramException {
    ScramKeys keys = login(BackendSecret.password("pencil"), server());
    ScramKeys again = login(BackendSecret.of(keys), server());
    assertThat(again.clientKey()).isEqualTo(keys.clientKey());
  }

  @Test
  void theExampleOfTheRfcIsAnswered() throws ScramException {
    ScramServer rfc =
        new ScramServer(
            ScramVerifier.parse(VERIFIER),
            "user",
            PROCESS_SECRET,
            "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
    assertThat(rfc.first("n,,n=user,r=rOprNGfwEbeRWgbNEkqO"))
        .isEqualTo(
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    assertThat(
            rfc.last(
                    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                        + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
                .message())
        .isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  }

  @Test
  void aWrongPasswordFails() {
    assertThatThrownBy(() -> login(BackendSecret.password("Pencil"), server()))
        .isInstanceOf(ScramException.class);
  }

  @Test
  void anUnknownRoleGetsAStableMockExchangeAndFails() throws ScramException {
    String first = server(Optional.empty()).first("n,,n=,r=clientnonce");
    assertThat(server(Optional.empty()).first("n,,n=,r=clientnonce")).isEqualTo(first);
    assertThat(first).endsWith("i=4096");
    assertThatThrownBy(() -> login(BackendSecret.password("pencil"), server(Optional.empty())))
        .isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "n",
        "n,,",
        "n,,n=user",
        "n,,n=user,r=",
        "p=tls-server-end-point,,n=user,r=abc",
        "n,a=other,n=user,r=abc",
        "n,,m=ext,n=user,r=abc",
        "x,,n=user,r=abc"
      })
  void aBadFirstMessageIsRefused(String message) {
    assertThatThrownBy(() -> server().first(message)).isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "p=",
        "c=biws,r=clientnonceservernonce",
        "c=biws,r=clientnonceservernonce,p=",
        "c=biws,r=clientnonceservernonce,p=###",
        "c=biws,r=clientnonceservernonce,p=AAAA",
        "c=biws,r=othernonce,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "c=eSws,r=clientnonceservernonce,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "c=biws,r=clientnonceservernonce,m=x,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "r=clientnonceservernonce,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
      })
  void aBadFinalMessageIsRefused(String message) throws ScramException {
    ScramServer server = server();
    server.first("n,,n=,r=clientnonce");
    assertThatThrownBy(() -> server.last(message)).isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "r=clientnonce,s=AAAA,i=4096",
        "r=other,s=AAAA,i=4096",
        "r=clientnoncex,s=AAAA,i=2147483647",
        "r=clientnoncex,s=AAAA,i=0",
        "r=clientnoncex,s=AAAA",
        "r=clientnoncex,s=@@@@,i=4096"
      })
  void aBadServerIsRefused(String serverFirst) {
    ScramClient client = new ScramClient(BackendSecret.password("pencil"), "clientnonce");
    assertThatThrownBy(() -> client.last(serverFirst)).isInstanceOf(ScramException.class);
  }

  @Test
  void aServerThatDoesNotKnowTheVerifierIsRefused() throws ScramException {
    ScramClient client = new ScramClient(BackendSecret.password("pencil"), "clientnonce");
    client.last("r=clientnoncex,s=AAAA,i=4096");
    assertThatThrownBy(() -> client.check("v=AAAA")).isInstanceOf(ScramException.class);
    assertThatThrownBy(() -> client.check("e=other-error")).isInstanceOf(ScramException.class);
  }

  @Test
  void aUsersFileNamesTheLineThatIsWrong() {
    assertThat(
            UsersFile.parse("f", List.of("", "# x", "\"a\"\"b\" \"" + VERIFIER + "\""))
                .find("a\"b")
                .join())
        .isPresent();
    for (String line :
        new String[] {"a b", "\"a\" \"md5abc\"", "\"a\" \"secret\"", "\"a\" " + VERIFIER}) {
      assertThatThrownBy(() -> UsersFile.parse("f", List.of("", line)))
          .isInstanceOf(ConcordException.class)
          .hasMessageStartingWith("f:2: ");
    }
  }

  @Test
  void nothingPrintsASecret() {
    assertThat(String.valueOf(ScramVerifier.parse(VERIFIER).orElseThrow())).contains("***");
    assertThat(String.valueOf(BackendSecret.password("pencil"))).doesNotContain("pencil");
  }
}
