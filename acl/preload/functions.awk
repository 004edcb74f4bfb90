# Makes preload_functions.h of functions.list: FUNCTION(index, group, name) for each function, SPARE(index) for entries
# without a name.
BEGIN {
    split("op model rt others dvpp", names)
    for (i in names)
        groups[names[i]]
    spares = 4096
}
/^[[:space:]]*(#|$)/ { next }
NF != 2 || !($1 in groups) || $2 !~ /^[A-Za-z_][A-Za-z0-9_]*$/ {
    printf "%s:%d: '%s'; expected a group (op, model, rt, others, dvpp) and the name of a function\n", FILENAME, FNR, $0 >"/dev/stderr"
    failed = 1
    next
}
$2 in seen {
    printf "%s:%d: '%s' stands there twice\n", FILENAME, FNR, $2 >"/dev/stderr"
    failed = 1
    next
}
{
    seen[$2]
    printf "FUNCTION(%d, %s, %s)\n", count++, $1, $2
}
END {
    if (failed)
        exit 1
    for (i = 0; i < spares; i++)
        printf "SPARE(%d)\n", count + i
}
