/**
 * What an owner shard's change stream delivers, free of the reader that read it: whole committed
 * transactions in commit order and messages between them. {@link
 * org.pgconcord.cdc.change.ChangeStream} is the entry type; a scripted stream in tests implements
 * it too. Nothing here knows Debezium, a socket or a store.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.cdc.change;
