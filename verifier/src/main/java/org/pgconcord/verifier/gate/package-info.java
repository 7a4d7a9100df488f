/**
 * Whether an index may be enabled: {@link org.pgconcord.verifier.gate.GateCheck} is a pure function
 * of the facts. Who asks gathers them and acts.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.gate;
