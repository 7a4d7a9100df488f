@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.history;
