@org.jspecify.annotations.NullMarked
package org.pgconcord.daemon.demo;
