/** What the tests of change capture share. */
@org.jspecify.annotations.NullUnmarked
package org.pgconcord.cdc;
