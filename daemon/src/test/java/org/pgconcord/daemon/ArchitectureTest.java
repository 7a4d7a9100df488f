package org.pgconcord.daemon;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

/** The arrows between modules, the order of the router's stages, and who may see which library. */
class ArchitectureTest {
  private static final String ROOT = "org.pgconcord.";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("org.pgconcord");

  // --- modules: who may know whom ------------------------------------------------------------

  @Test
  void config() {
    check(knowsOnly("config"));
  }

  @Test
  void gsi() {
    check(knowsOnly("gsi", "config"));
  }

  @Test
  void state() {
    check(knowsOnly("state", "config"));
  }

  @Test
  void router() {
    check(knowsOnly("router", "config", "gsi"));
  }

  @Test
  void cdc() {
    check(knowsOnly("cdc", "config", "gsi", "state"));
  }

  @Test
  void backfill() {
    check(knowsOnly("backfill", "config", "gsi", "state"));
  }

  @Test
  void verifier() {
    check(knowsOnly("verifier", "config", "gsi", "state"));
  }

  @Test
  void testkit() {
    check(knowsOnly("testkit", "config"));
  }

  @Test
  void theDaemonShipsOnlyTheCluster() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ROOT + "daemon..")
            .should()
            .dependOnClassesThat(
                resideInAPackage(ROOT + "testkit..")
                    .and(not(resideInAPackage(ROOT + "testkit.cluster..")))));
  }

  @Test
  void noCyclesBetweenModules() {
    check(SlicesRuleDefinition.slices().matching(ROOT + "(*)..").should().beFreeOfCycles());
  }

  // --- the router's stages -------------------------------------------------------------------

  @Test
  void wire() {
    check(stageKnowsNot("wire", "session", "sql", "analyse", "plan", "exec", "backend"));
  }

  @Test
  void sql() {
    check(stageKnowsNot("sql", "session", "analyse", "plan", "exec", "backend"));
  }

  @Test
  void analyse() {
    check(stageKnowsNot("analyse", "session", "exec", "backend"));
  }

  @Test
  void plan() {
    check(stageKnowsNot("plan", "session", "exec", "backend"));
  }

  @Test
  void backend() {
    check(stageKnowsNot("backend", "sql", "analyse", "plan", "exec"));
  }

  // --- library fences ------------------------------------------------------------------------

  @Test
  void netty() {
    check(
        fence(
            "io.netty..",
            ROOT + "router.wire..",
            ROOT + "router.session..",
            ROOT + "router.backend..",
            ROOT + "router"));
  }

  @Test
  void jsqlparser() {
    check(fence("net.sf.jsqlparser..", ROOT + "router.sql.."));
  }

  @Test
  void debezium() {
    check(fence("io.debezium..", ROOT + "cdc.source.."));
  }

  @Test
  void kafka() {
    check(fence("org.apache.kafka..", ROOT + "cdc.source.."));
  }

  @Test
  void rocksdb() {
    check(fence("org.rocksdb..", ROOT + "state.store.."));
  }

  @Test
  void picocli() {
    check(fence("picocli..", ROOT + "daemon.cli..", ROOT + "daemon.demo.."));
  }

  @Test
  void micrometer() {
    check(fence("io.micrometer..", ROOT + "daemon..", ROOT + "router"));
  }

  @Test
  void jdkHttpServer() {
    check(fence("com.sun.net.httpserver..", ROOT + "daemon.admin.."));
  }

  // --- habits --------------------------------------------------------------------------------

  @Test
  void nobodySleeps() {
    check(noClasses().should().callMethod(Thread.class, "sleep", long.class));
  }

  @Test
  void onlyMainEndsTheProcess() {
    check(
        noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ROOT + "daemon.Main")
            .should()
            .callMethod(System.class, "exit", int.class));
  }

  private static ArchRule knowsOnly(String module, String... others) {
    String[] allowed = new String[others.length + 1];
    allowed[0] = ROOT + module + "..";
    for (int i = 0; i < others.length; i++) {
      allowed[i + 1] = ROOT + others[i] + "..";
    }
    return noClasses()
        .that()
        .resideInAPackage(ROOT + module + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.pgconcord..").and(not(resideInAnyPackage(allowed))))
        .allowEmptyShould(true);
  }

  private static ArchRule stageKnowsNot(String stage, String... later) {
    String[] forbidden = new String[later.length];
    for (int i = 0; i < later.length; i++) {
      forbidden[i] = ROOT + "router." + later[i] + "..";
    }
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "router." + stage + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true);
  }

  private static ArchRule fence(String library, String... inside) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(inside)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .allowEmptyShould(true);
  }

  private static void check(ArchRule rule) {
    rule.check(CLASSES);
  }
}
