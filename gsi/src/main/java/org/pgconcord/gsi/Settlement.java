package org.pgconcord.gsi;

import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Outcome.Kind;

/**
 * Decides whether an entry is true, and makes it so: takeover by a writer, removal of surplus,
 * repair of a missing entry. A pure machine: each step names a statement and where to run it, and
 * its rows lead to the next. The JDBC driver is {@link SettlementRunner}; the router has one that
 * does not block.
 *
 * <h2>Invariant</h2>
 *
 * A committed owner row that a maintaining router wrote has an entry that names it (I1). A
 * settlement may therefore change or remove an entry only when the row it names is not there, is
 * not being made, and cannot be made before the change commits.
 *
 * <h2>Why the reads here prove that</h2>
 *
 * PostgreSQL has no lock on a row that does not exist: a locking read neither sees nor waits for
 * another transaction's uncommitted INSERT, nor its uncommitted UPDATE into the value. So the entry
 * is what everybody locks first, and the key lock is what creators hold:
 *
 * <ol>
 *   <li>The entry is locked FOR UPDATE. A writer that wants it, to keep or to take, waits here; one
 *       that got it earlier holds it until its PRE commits.
 *   <li>The key's advisory lock is taken exclusively on the shard that the entry names. A writer
 *       takes it shared at its COMMIT, after the last PRE statement has answered and before PRE
 *       commits, and holds it to the end of MAIN. So between a writer's hold of the entry and the
 *       end of its MAIN there is no moment at which neither lock stops us: had it passed PRE, it
 *       has the key lock and we wait for its MAIN; had it not, it waits for the entry that we hold.
 *   <li>The owner row is read in a new READ COMMITTED statement. Its snapshot is later than the key
 *       lock, so a creator that we waited for is seen.
 * </ol>
 *
 * Always entry first, key lock second: a writer does the same, and whoever has not passed PRE holds
 * no key lock, so two of them cannot wait for each other over two servers.
 *
 * <h2>Why the owner row is not locked</h2>
 *
 * A DELETE holds the owner row in MAIN while its POST waits for the entry. Waiting for the row with
 * the entry in hand closes a circle that no server sees. A row that is there but locked counts as
 * there. A writer would then report a duplicate of a row that is about to go; to wait for it as a
 * plain unique index does, it first gives up entry and key lock, then waits with nothing in hand,
 * then starts again.
 *
 * <h2>Missing entries</h2>
 *
 * The entry is inserted first, uncommitted, then its owner row is read in a new statement, and the
 * entry commits only if the row is there. Whoever deletes the row after our read finds our entry:
 * its POST waits for our commit and then removes it; a DELETE that came otherwise is in the stream
 * and comes back here. At worst surplus stays, never a row without entry; no key lock is needed.
 *
 * <h2>Tokens</h2>
 *
 * An entry of a covering index that has a token is not answered from (decision 0018). What a
 * settlement adds or repoints gets a token of nobody's, for it knows of no transaction's end;
 * settling an entry whose owner row is there and still takes any token off.
 *
 * <h2>Two owners</h2>
 *
 * Rows written past the routers can give a key two owner rows. The entry stays with the one it
 * names; the other is reported as {@link Kind#DUPLICATE} and must be settled again when the entry
 * goes, for dropped it would never get one. The caller keeps it.
 */
public final class Settlement {
  private static final int ROUNDS = 16;
  private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
  private static final String SAVEPOINT = "pgconcord_claim";

  private final LookupIndex index;
  private final EntrySql sql;
  private final Tuple identity;
  private final @Nullable Tuple owner;

  private Settlement(LookupIndex index, Tuple identity, @Nullable Tuple owner) {
    this(index, new EntrySql(index), identity, owner);
  }

  private Settlement(LookupIndex index, EntrySql sql, Tuple identity, @Nullable Tuple owner) {
    this.index = index;
    this.sql = sql;
    this.identity = identity;
    this.owner = owner;
  }

  /**
   * A writer's claim of an entry for a row that it has just written. The lookup session is in the
   * writer's open PRE transaction and stays in it: {@code ADDED}, {@code KEPT} and {@code
   * TAKEN_OVER} leave the entry locked there; {@code DUPLICATE} and {@code UNSETTLED} leave PRE as
   * it was.
   */
  public static Step claim(LookupIndex index, Entry entry) {
    return claim(index, entry, new EntrySql(index));
  }

  /**
   * The same.
   *
   * @param sql with the writer's token
   */
  public static Step claim(LookupIndex index, Entry entry, EntrySql sql) {
    Settlement settlement = new Settlement(index, sql, entry.identity(), entry.holder());
    return settlement.lookup(
        settlement.sql.insert(entry),
        added ->
            added
                ? new Step.Done(Outcome.of(Kind.ADDED))
                : settlement.lookup(
                    "SAVEPOINT " + SAVEPOINT, () -> settlement.keepOrTake(entry, ROUNDS)));
  }

  /**
   * Settles an identity for the engine, the verifier or a writer whose entry lives in MAIN: removes
   * surplus, adds what is missing. Each change commits at once; no session has a transaction open
   * before or after.
   *
   * @param owner the holder that a row is believed to have, or null when only the entry itself is
   *     in question
   */
  public static Step audit(LookupIndex index, Tuple identity, @Nullable Tuple owner) {
    return new Settlement(index, identity, owner).auditRound(ROUNDS);
  }

  /**
   * Whether the owner row of an entry is there, creators that are past PRE waited for: {@code KEPT}
   * or {@code ABSENT}. The caller keeps the entry locked; nothing is changed.
   */
  public static Step living(LookupIndex index, Entry entry) {
    Settlement settlement = new Settlement(index, entry.identity(), entry.holder());
    Tuple holder = entry.holder();
    return settlement.underKeyLock(
        holder,
        () -> settlement.release(holder, settlement::absent),
        () -> settlement.release(holder, () -> new Step.Done(new Outcome(Kind.KEPT, holder))));
  }

  // --- a writer's claim ------------------------------------------------------------------------

  private Step claimRound(Entry entry, int rounds) {
    if (rounds == 0) {
      return giveUpClaim(Outcome.of(Kind.UNSETTLED));
    }
    return lookup(
        sql.insert(entry), added -> added ? endClaim(Kind.ADDED) : keepOrTake(entry, rounds));
  }

  private Step keepOrTake(Entry entry, int rounds) {
    return askHolder(
        sql.lock(identity),
        holder -> {
          if (holder == null) {
            return claimRound(entry, rounds - 1);
          }
          return holder.equals(entry.holder())
              ? endClaim(Kind.KEPT)
              : underKeyLock(
                  holder, () -> takeOver(entry, holder), () -> awaitHolder(entry, holder, rounds));
        });
  }

  private Step takeOver(Entry entry, Tuple holder) {
    return lookup(sql.takeOver(entry), done -> release(holder, () -> endClaim(Kind.TAKEN_OVER)));
  }

  /** The holder's row is there, perhaps not for long: wait for it, holding nothing. */
  private Step awaitHolder(Entry entry, Tuple holder, int rounds) {
    Supplier<Step> wait =
        () ->
            found(
                ownerPlace(holder),
                sql.awaitOwner(new Entry(identity, holder)),
                there ->
                    there
                        ? giveUpClaim(new Outcome(Kind.DUPLICATE, holder))
                        : claimRound(entry, rounds - 1));
    return release(holder, () -> lookup("ROLLBACK TO SAVEPOINT " + SAVEPOINT, wait));
  }

  private Step endClaim(Kind kind) {
    return lookup("RELEASE SAVEPOINT " + SAVEPOINT, () -> new Step.Done(Outcome.of(kind)));
  }

  private Step giveUpClaim(Outcome outcome) {
    return lookup(
        "ROLLBACK TO SAVEPOINT " + SAVEPOINT,
        () -> lookup("RELEASE SAVEPOINT " + SAVEPOINT, () -> new Step.Done(outcome)));
  }

  // --- audit -----------------------------------------------------------------------------------

  private Step auditRound(int rounds) {
    if (rounds == 0) {
      return new Step.Done(Outcome.of(Kind.UNSETTLED));
    }
    return lookup(
        BEGIN,
        () ->
            askHolder(
                sql.lock(identity),
                (holder, pending) ->
                    holder == null ? auditMissing(rounds) : auditHolder(holder, pending, rounds)));
  }

  private Step auditMissing(int rounds) {
    return lookup("ROLLBACK", () -> owner == null ? absent() : repair(owner, rounds));
  }

  private Step auditHolder(Tuple holder, boolean pending, int rounds) {
    return underKeyLock(
        holder,
        () -> remove(holder, rounds),
        () -> pending ? calm(holder) : keep(holder, "ROLLBACK"));
  }

  /**
   * A token that a writer has left. It may go when no writer is at work on the row: creators are
   * excluded by the key lock, and who deletes the row or changes its key holds it. The row is kept
   * still until the entry without token is committed, so that the next such writer's mark comes
   * after it.
   */
  private Step calm(Tuple holder) {
    return found(
        ownerPlace(holder),
        sql.quietOwner(new Entry(identity, holder)),
        quiet ->
            quiet
                ? lookup(sql.clearAny(identity), done -> lookup("COMMIT", () -> keep(holder, "")))
                : keep(holder, "ROLLBACK"));
  }

  private Step remove(Tuple holder, int rounds) {
    return lookup(
        sql.delete(new Entry(identity, holder)),
        done ->
            lookup(
                "COMMIT",
                () ->
                    release(
                        holder,
                        () ->
                            owner == null || owner.equals(holder)
                                ? new Step.Done(Outcome.of(Kind.REMOVED))
                                : repair(owner, rounds))));
  }

  private Step keep(Tuple holder, String end) {
    Step kept = new Step.Done(new Outcome(Kind.KEPT, holder));
    Supplier<Step> next =
        owner == null || owner.equals(holder) ? () -> kept : () -> secondOwner(owner, holder, kept);
    return release(holder, () -> end.isEmpty() ? next.get() : lookup(end, next));
  }

  private Step secondOwner(Tuple second, Tuple holder, Step kept) {
    return found(
        ownerPlace(second),
        sql.owner(new Entry(identity, second)),
        there -> there ? new Step.Done(new Outcome(Kind.DUPLICATE, holder)) : kept);
  }

  private Step repair(Tuple missing, int rounds) {
    Entry entry = new Entry(identity, missing);
    return lookup(
        BEGIN,
        () ->
            lookup(
                sql.insert(entry),
                added ->
                    added
                        ? found(
                            ownerPlace(missing),
                            sql.owner(entry),
                            there ->
                                there
                                    ? lookup("COMMIT", () -> new Step.Done(Outcome.of(Kind.ADDED)))
                                    : lookup("ROLLBACK", this::absent))
                        : lookup("ROLLBACK", () -> auditRound(rounds - 1))));
  }

  private Step absent() {
    return new Step.Done(Outcome.of(Kind.ABSENT));
  }

  // --- what both share -------------------------------------------------------------------------

  /** Takes the key lock on the holder's shard, then reads the holder's row in a new statement. */
  private Step underKeyLock(Tuple holder, Supplier<Step> gone, Supplier<Step> there) {
    Step.Place place = ownerPlace(holder);
    return run(
        place,
        EntryStatement.of(BEGIN),
        () ->
            run(
                place,
                sql.excludeCreators(identity),
                () ->
                    found(
                        place,
                        sql.owner(new Entry(identity, holder)),
                        isThere -> isThere ? there.get() : gone.get())));
  }

  /** Lets the key lock go. */
  private Step release(Tuple holder, Supplier<Step> then) {
    return run(ownerPlace(holder), EntryStatement.of("ROLLBACK"), then);
  }

  private Step.Place lookupPlace() {
    return new Step.Place(Step.Session.LOOKUP, index.lookupShard(identity));
  }

  private Step.Place ownerPlace(Tuple holder) {
    ShardId shard = index.shardOf(new Entry(identity, holder));
    return new Step.Place(Step.Session.OWNER, shard);
  }

  private Step lookup(String command, Supplier<Step> then) {
    return run(lookupPlace(), EntryStatement.of(command), then);
  }

  private Step lookup(EntryStatement statement, Function<Boolean, Step> then) {
    return found(lookupPlace(), statement, then);
  }

  private static Step run(Step.Place place, EntryStatement statement, Supplier<Step> then) {
    return new Step.Send(new Step.Command(place, statement), rows -> then.get());
  }

  private static Step found(
      Step.Place place, EntryStatement statement, Function<Boolean, Step> then) {
    return new Step.Send(new Step.Command(place, statement), rows -> then.apply(!rows.isEmpty()));
  }

  private Step askHolder(EntryStatement statement, Function<@Nullable Tuple, Step> then) {
    return askHolder(statement, (holder, pending) -> then.apply(holder));
  }

  private Step askHolder(
      EntryStatement statement, BiFunction<@Nullable Tuple, Boolean, Step> then) {
    return new Step.Send(
        new Step.Command(lookupPlace(), statement),
        rows ->
            rows.isEmpty()
                ? then.apply(null, false)
                : then.apply(sql.holder(rows.get(0)), sql.pending(rows.get(0))));
  }
}
