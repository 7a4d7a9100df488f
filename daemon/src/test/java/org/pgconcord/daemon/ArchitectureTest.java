package org.pgconcord.daemon;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/** The arrows between modules, the order of the router's stages, and who may see which library. */
@AnalyzeClasses(packages = "org.pgconcord", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "org.pgconcord.";

  // --- modules: who may know whom ------------------------------------------------------------

  @ArchTest static final ArchRule config = knowsOnly("config");
  @ArchTest static final ArchRule gsi = knowsOnly("gsi", "config");
  @ArchTest static final ArchRule state = knowsOnly("state", "config");
  @ArchTest static final ArchRule router = knowsOnly("router", "config", "gsi");
  @ArchTest static final ArchRule cdc = knowsOnly("cdc", "config", "gsi", "state");
  @ArchTest static final ArchRule backfill = knowsOnly("backfill", "config", "gsi", "state");
  @ArchTest static final ArchRule verifier = knowsOnly("verifier", "config", "gsi", "state");
  @ArchTest static final ArchRule testkit = knowsOnly("testkit", "config");

  @ArchTest
  static final ArchRule theDaemonShipsOnlyTheCluster =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "daemon..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "testkit..")
                  .and(not(resideInAPackage(ROOT + "testkit.cluster.."))));

  @ArchTest
  static final ArchRule noCyclesBetweenModules =
      SlicesRuleDefinition.slices().matching(ROOT + "(*)..").should().beFreeOfCycles();

  // --- the router's stages -------------------------------------------------------------------

  @ArchTest
  static final ArchRule wire =
      stageKnowsNot("wire", "session", "sql", "analyse", "plan", "exec", "backend");

  @ArchTest
  static final ArchRule sql = stageKnowsNot("sql", "session", "analyse", "plan", "exec", "backend");

  @ArchTest static final ArchRule analyse = stageKnowsNot("analyse", "session", "exec", "backend");
  @ArchTest static final ArchRule plan = stageKnowsNot("plan", "session", "exec", "backend");

  @ArchTest
  static final ArchRule backend = stageKnowsNot("backend", "sql", "analyse", "plan", "exec");

  // --- library fences ------------------------------------------------------------------------

  @ArchTest
  static final ArchRule netty =
      fence(
          "io.netty..",
          ROOT + "router.wire..",
          ROOT + "router.session..",
          ROOT + "router.backend..",
          ROOT + "router");

  @ArchTest static final ArchRule jsqlparser = fence("net.sf.jsqlparser..", ROOT + "router.sql..");

  @ArchTest static final ArchRule debezium = fence("io.debezium..", ROOT + "cdc.source..");
  @ArchTest static final ArchRule kafka = fence("org.apache.kafka..", ROOT + "cdc.source..");

  @ArchTest static final ArchRule rocksdb = fence("org.rocksdb..", ROOT + "state.store..");

  @ArchTest
  static final ArchRule picocli = fence("picocli..", ROOT + "daemon.cli..", ROOT + "daemon.demo..");

  @ArchTest
  static final ArchRule micrometer = fence("io.micrometer..", ROOT + "daemon..", ROOT + "router");

  @ArchTest
  static final ArchRule jdkHttpServer = fence("com.sun.net.httpserver..", ROOT + "daemon.admin..");

  // --- habits --------------------------------------------------------------------------------

  @ArchTest
  static final ArchRule nobodySleeps =
      noClasses().should().callMethod(Thread.class, "sleep", long.class);

  @ArchTest
  static final ArchRule onlyMainEndsTheProcess =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName(ROOT + "daemon.Main")
          .should()
          .callMethod(System.class, "exit", int.class);

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
}
