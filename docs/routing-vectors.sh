#!/usr/bin/env bash
# Checks routing-vectors.tsv and routing-index-vectors.tsv without any code of pgConcord: the canonical bytes of integers, texts,
# uuids and byteas are made here, and all bytes are hashed by xxhsum (Debian package xxhash).
# With --write the first table's columns are filled in instead; that is for new lines only: the hash of a line
# that has been published never changes.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"
table=routing-vectors.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

canonical() { # type, text with printf's escapes, bytes as the table has them
  case $1 in
    INT) printf '%016x' "$2" ;;
    TEXT) printf '%b' "$2" | od -An -v -tx1 | tr -d ' \n' ;;
    UUID) tr -d '{}-' <<<"$2" | tr 'A-F' 'a-f' | tr -d '\n' ;;
    BYTEA) printf '%s' "${2#\\\\x}" | tr 'A-F' 'a-f' ;;
    *) printf '%s' "$3" ;;
  esac
}

# Bytes as hexadecimal digits -> a file to hash.
bytes() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }

# Some versions print "XXH3_<hash>  <file>", others "XXH3 (<file>) = <hash>".
hashes() { (cd "$work" && xxhsum -q -H3 "$1"*) | sed -E 's/^XXH3_([0-9a-f]{16}) .*/\1/; s/^XXH3 \(.*\) = //'; }

number=0
while IFS=$'\t' read -r type text bytes hash; do
  number=$((number + 1))
  text=${text#\'} text=${text%\'}
  made=$(canonical "$type" "$text" "${bytes#x}")
  printf 'x%s\n' "$made" >>"$work/made"
  bytes "$made" >"$work/v$(printf '%05d' "$number")"
done < <(grep -v '^#' "$table")

hashes v >"$work/hashes"
grep '^#' "$table" >"$work/new" || true
paste <(grep -v '^#' "$table" | cut -f1,2) "$work/made" "$work/hashes" >>"$work/new"

if [ "${1:-}" = --write ]; then
  cp "$work/new" "$table"
  echo "$number vectors written"
elif diff "$table" "$work/new"; then
  echo "$number vectors agree"
else
  echo "the vectors differ from what xxhsum gives" >&2
  exit 1
fi

# The other table: the lines as they should be, for diff.
others=routing-index-vectors.tsv
count=0
while IFS=$'\t' read -r kind what values rest; do
  count=$((count + 1))
  values=${values#\'} values=${values%\'}
  case $kind in
    composite)
      made=
      while [ -n "$what" ]; do
        one=$(canonical "${what%%,*}" "${values%%"','"*}" "")
        made+=$(printf '%08x' $((${#one} / 2)))$one
        [ "$what" = "${what#*,}" ] && break
        what=${what#*,} values=${values#*"','"}
      done
      bytes "$made" >"$work/c$(printf '%05d' "$count")"
      printf 'x%s\n' "$made" ;;
    modulo) echo $((values % what < 0 ? values % what + what : values % what)) ;;
    range)
      bound=$((16#${what#-}))
      [ "$what" = "${what#-}" ] || bound=$((-bound))
      [ "$values" -lt "$bound" ] && echo below || echo from ;;
  esac
done < <(grep -v '^#' "$others") >"$work/others"
grep -v '^#' "$others" | cut -f4 | diff - "$work/others"
grep '^composite' "$others" | cut -f5 | diff - <(hashes c)
echo "$(wc -l <"$work/others") more vectors agree"
