@org.jspecify.annotations.NullMarked
package org.pgconcord.config.atomic;
