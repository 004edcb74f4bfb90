# Shared by the tests of captures with samples; loaded after common.bash.
# shellcheck shell=bash disable=SC2154 # run_msprof sets status and stderr

# In the captures of make_system.py and gen_system.py a counter of hccs.data falls once: that is told, and nothing else.
expect_fallen_counter() {
    expect_status 3
    expect_equal "$(grep -E 'warning:|error:' <<<"$stderr" | grep -vE 'the umask is|hccs\.data\.[0-9]+\.slice_0: .*field tx_bytes: .* expected at least that|has [12] data problems?;')" ""
}

# The same of a shared capture by its name: those of sampled cores have no such counter.
expect_what_is_told() {
    case $1 in
    sample-*) expect_status 0 ;;
    *) expect_fallen_counter ;;
    esac
}
