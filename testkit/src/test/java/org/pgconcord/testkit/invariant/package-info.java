@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.invariant;
