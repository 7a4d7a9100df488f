#!/bin/sh
# Makes the list of PostgreSQL's own functions that the planner goes by:
#   router/scripts/functions.sh 127.0.0.1:5415 127.0.0.1:5418 \
#     > router/src/main/resources/org/pgconcord/router/analyse/functions.txt
# Arguments are two servers, of the oldest and the newest version served (user postgres, trust).
# A line is a name and its kind:
#   r  read-only: on both versions every function of that name is immutable or stable
#   a  an aggregate of that name exists    w  a window function
#   v  anything else: volatile, or not on both versions
set -eu
query="select proname,
              case when bool_or(prokind = 'a') then 'a'
                   when bool_or(prokind = 'w') then 'w'
                   when bool_and(provolatile in ('i', 's') and prokind = 'f') then 'r'
                   else 'v' end
         from pg_proc where pronamespace = 'pg_catalog'::regnamespace
        group by proname"
for server in "$1" "$2"; do
  psql -h "${server%:*}" -p "${server#*:}" -U postgres -d postgres -AtF ' ' -c "$query"
done | LC_ALL=C sort | awk '
  { n[$1]++; kinds[$1] = kinds[$1] $2 }
  END {
    for (f in n) {
      k = kinds[f]
      print f, (k ~ /a/ ? "a" : k ~ /w/ ? "w" : n[f] == 2 && k == "rr" ? "r" : "v")
    }
  }' | LC_ALL=C sort
