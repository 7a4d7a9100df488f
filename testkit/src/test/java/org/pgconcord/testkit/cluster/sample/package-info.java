@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.cluster.sample;
