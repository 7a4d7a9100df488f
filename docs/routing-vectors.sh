#!/usr/bin/env bash
# Checks routing-vectors.tsv without any code of pgConcord: the canonical bytes of integers, texts,
# uuids and byteas are made here, and all bytes are hashed by xxhsum (Debian package xxhash).
# With --write the columns are filled in instead; that is for new lines only: the hash of a line
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

number=0
while IFS=$'\t' read -r type text bytes hash; do
  number=$((number + 1))
  text=${text#\'} text=${text%\'}
  made=$(canonical "$type" "$text" "${bytes#x}")
  printf 'x%s\n' "$made" >>"$work/made"
  printf '%b' "$(sed 's/../\\x&/g' <<<"$made")" >"$work/v$(printf '%05d' "$number")"
done < <(grep -v '^#' "$table")

# Some versions print "XXH3_<hash>  <file>", others "XXH3 (<file>) = <hash>".
(cd "$work" && xxhsum -q -H3 v*) | sed -E 's/^XXH3_([0-9a-f]{16}) .*/\1/; s/^XXH3 \(.*\) = //' >"$work/hashes"
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
