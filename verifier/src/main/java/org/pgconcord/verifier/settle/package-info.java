/**
 * Decides about single keys. {@link org.pgconcord.verifier.settle.LockedCheck} looks at one key
 * under the locks of the settlement and changes nothing; {@link
 * org.pgconcord.verifier.settle.OwnerRows} looks at what is wrong with owner rows alone.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.settle;
