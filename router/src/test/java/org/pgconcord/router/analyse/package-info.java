/** What statements read and call, found in their text alone. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.analyse;
