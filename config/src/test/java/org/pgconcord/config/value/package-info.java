/** Tests of the plain values. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.value;
