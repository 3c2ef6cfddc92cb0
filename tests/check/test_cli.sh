#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The command line where no node runs: help, exit statuses, what is wrong and what is said of it, JSON,
# colour, and output that does not arrive. tests/net has the commands at work.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Where any user may run it.
chmod 755 "$scratch"
install -m 755 build/weir "$scratch/weir"
weir=$scratch/weir
nowhere=/sys/fs/bpf/weir-nowhere-$$
unset NO_COLOR

# run COMMAND...: sets status, out and err
run() {
	status=0
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
	out=$(<"$scratch/out")
	err=$(<"$scratch/err")
}

# exits NAME STATUS REGEX COMMAND...: with that status and that in what it says on stderr
exits() {
	run "${@:4}"
	tap_like "$1" "$status $err" "^$2 .*$3"
}

# shellcheck disable=SC2317 # called by exits and run
as_nobody() {
	if ((EUID == 0)); then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# on_terminal COMMAND: what it prints where stdout is a terminal
on_terminal() {
	TERM=xterm script -qec "$1" /dev/null </dev/null
}

has_escape() {
	grep -q $'\033' <<<"$1" && echo yes || echo no
}

# policy NAME <<END
policy() {
	cat >"$scratch/$1.yaml"
}

policy good <<'END'
node: one
interfaces: [lo]
store: {url: embedded}
limits:
  - name: web
    match: {proto: tcp, port: 443}
    node_rate: 100 packets/s
    burst: 200 packets
  - name: all
    fleet_rate: 10 MB/s
    burst: 2 MB
    on_store_loss: share
END
sed "\$a paths: {pins: $nowhere, run: $scratch/run}" "$scratch/good.yaml" >"$scratch/here.yaml"
here=(-c "$scratch/here.yaml")

## help

commands="run check status top explain reload observe quota fleet key detach version"
run "$weir" --help
tap_is "help is no failure" "$status $err" "0 "
for command in $commands; do
	tap_like "help lists $command" "$out" $'\n'"  $command +[a-z]"
	help=$("$weir" "$command" --help 2>&1) || help="exit status $?"
	tap_like "$command --help has usage, options, statuses and an example" "$help" \
		"^usage: weir $command.*options:.*--help.*exit status: 0 .*example:.*weir $command"
	tap_is "help $command says the same" "$("$weir" help "$command" 2>&1)" "$help"
	tap_is "$command -h too" "$("$weir" "$command" -h 2>&1)" "$help"
done
exits "without a command it says how it is used" 2 "usage: weir" "$weir"

## what is wrong on the command line

exits "an unknown command" 2 'unknown command "statsu"; did you mean status' "$weir" statsu
exits "one that resembles none" 2 'frobnicate.*--help' "$weir" frobnicate
exits "an unknown option" 2 'unknown option --jsn; did you mean --json' "$weir" status --jsn
exits "an unknown option with a value" 2 'unknown option --intervall; did you mean --interval' \
	"$weir" top --intervall=1s
exits "an unknown letter" 2 'unknown option -q' "$weir" status -q
exits "a value left out" 2 '--interval wants a value' "$weir" top --interval
exits "a value too many" 2 '--json takes no value' "$weir" status --json=yes
exits "a word too many" 2 '"now" is one word too many' "$weir" status now
exits "a word left out" 2 'key wants LIMIT SOURCE' "$weir" key web
exits "an option before the command" 2 'after the command' "$weir" --json status
exits "a control byte on the command line is not repeated" 2 '\\x1b\[2J' "$weir" $'\033[2J'
exits "observe: neither on nor off" 2 'maybe.*on or off would do' "$weir" observe maybe
exits "explain: no address" 2 'localhost' "$weir" explain localhost
exits "explain: a mapped address names the IPv4 one" 2 '10\.0\.0\.1' "$weir" explain ::ffff:10.0.0.1
exits "explain: two families" 2 'other family' "$weir" explain 10.0.0.1 --to ::1
exits "explain: a port too large" 2 '65536.*0 to 65535' "$weir" explain 10.0.0.1 --port 65536
exits "explain: a protocol without ports" 2 'only tcp and udp' "$weir" explain ::1 --proto icmpv6 --port 1
exits "top: too short an interval" 2 '100ms' "$weir" top --interval 1ms
exits "top: an interval without a unit" 2 '--interval' "$weir" top --interval 1
exits "reload: a time without a unit" 2 '--try' "$weir" reload --try 60
exits "reload: try and keep" 2 'one of them' "$weir" reload --try 60s --keep
exits "reload: more than a day" 2 'a day' "$weir" reload --try 25h
exits "pins that are no whole path" 2 'begins with /' "$weir" status --pins weir
exits "check: two files" 2 'one of them' "$weir" check a.yaml -c b.yaml

## check

run "$weir" check "$scratch/good.yaml"
tap_is "a valid policy is no failure, and nothing is wrong with it" "$status $err" "0 "
tap_like "its arithmetic is told" "$out" 'node limit web.*100 packets/s.*fleet limit all.*10 MB/s'
run "$weir" check -c "$scratch/good.yaml" --json
tap_is "the same as JSON" "$status $(jq -c '[.valid, .errors, (.limits | map(.name, .kind, .rate_per_s, .burst))]' <<<"$out")" \
	'0 [true,[],["web","node",100,200,"all","fleet",10000000,2000000]]'
tap_is "with the fields that are promised" \
	"$(jq -r '[.limits[] | has("share_rate_per_s", "share_burst", "one_node_max_per_s", "worst_case_per_s")] | all' <<<"$out")" true

policy wrong <<'END'
interfaces: [lo]
store: {url: embedded}
limits:
  - name: web
    node_rate: -5 packets/s
    bursts: 200 packets
END
run "$weir" check "$scratch/wrong.yaml"
tap_is "a wrong one is wrong input" "$status" 2
tap_is "with nothing on stdout" "$out" ""
tap_is "and each fault on a line, with its place" \
	"$(grep -cE "^$scratch/wrong\.yaml:[0-9]+:[0-9]+: .+" <<<"$err")" "$(wc -l <<<"$err")"
tap_like "all of them" "$err" ':5:.*node_rate.*:6:.*bursts'
run "$weir" check "$scratch/wrong.yaml" --json
tap_is "JSON of a wrong one" "$status $err $(jq -c '[.valid, (.errors | map(.line) | unique), .limits]' <<<"$out")" \
	'2  [false,[4,5,6],[]]'
tap_is "its errors have file, line, column and message" \
	"$(jq -r '[.errors[] | has("file", "line", "column", "message")] | all' <<<"$out")" true

exits "a file that is not there" 2 'absent\.yaml' "$weir" check "$scratch/absent.yaml"
exits "a folder is no policy" 2 "$scratch" "$weir" check "$scratch"
run "$weir" check "$scratch/absent.yaml" --json
tap_is "JSON of a file that is not there" "$status $(jq -c '[.valid, (.errors | length)]' <<<"$out")" '2 [false,1]'

printf 'interfaces: [lo]\nstore: {url: embedded}\n"a\\e]0;b": 1\nlimits:\n  - name: "\\e[31m"\n' >"$scratch/bytes.yaml"
cp "$scratch/bytes.yaml" "$scratch/"$'by\033tes.yaml'
run "$weir" check "$scratch/"$'by\033tes.yaml'
tap_is "control bytes of a file and of its name are not printed raw" "$status $(has_escape "$out$err")" "2 no"
run "$weir" check --json "$scratch/bytes.yaml"
tap_is "not in JSON either" "$status $(has_escape "$out$err") $(jq .valid <<<"$out")" "2 no false"

frame=$(($(</sys/class/net/lo/mtu) + 22))
sed "s/burst: 2 MB/burst: $((frame - 1)) B/" "$scratch/good.yaml" >"$scratch/small.yaml"
exits "a byte burst below the interface's largest frame" 2 \
	"small\.yaml:11:[0-9]+: .*$((frame - 1)) bytes.*$frame B would do" "$weir" check "$scratch/small.yaml"
sed "s/burst: 2 MB/burst: $frame B/" "$scratch/good.yaml" >"$scratch/enough.yaml"
tap_run "one of just that frame is enough" "$weir" check "$scratch/enough.yaml"
sed 's/\[lo\]/[absent0]/' "$scratch/good.yaml" >"$scratch/elsewhere.yaml"
exits "an interface of another machine is a warning" 0 'warning: .*absent0' "$weir" check "$scratch/elsewhere.yaml"
sed 's/node_rate: 100 packets\/s/node_rate: 1000000000 packets\/s/; s/200 packets/9000000000000 packets/' \
	"$scratch/good.yaml" >"$scratch/range.yaml"
exits "a burst that cannot be held at its rate names its limit" 2 'range\.yaml:[0-9]+:[0-9]+: .*web' \
	"$weir" check "$scratch/range.yaml"
sed 's/url: embedded/url: redis:\/\/10.0.0.1, fleet: prod, nodes_max: 3/' "$scratch/good.yaml" >"$scratch/redis.yaml"
exits "a store that this version lacks is valid, with a warning" 0 'warning: store\.url' "$weir" check "$scratch/redis.yaml"

## no node there

tap_exits_nowhere() {
	exits "$1 where nothing is pinned: what to do" 1 'weir run' "$weir" "$@" --pins "$nowhere"
}
tap_exits_nowhere status
tap_exits_nowhere top
tap_exits_nowhere explain 10.0.0.1
tap_exits_nowhere key web 10.0.0.1
tap_exits_nowhere observe on
exits "detach where nothing is pinned" 1 'nothing is pinned' "$weir" detach --pins "$nowhere"
exits "reload without an agent: what to do" 1 'no agent listens.*weir run' "$weir" reload "${here[@]}"
exits "reload by pins alone does not guess" 2 '-c FILE' "$weir" reload --pins "$nowhere"
sed "\$a paths: {pins: $nowhere}" "$scratch/wrong.yaml" >"$scratch/limits.yaml"
exits "faults in limits do not keep commands from the node" 1 "$nowhere: nothing is pinned" \
	"$weir" observe on -c "$scratch/limits.yaml"
printf 'interfaces: [lo\n' >"$scratch/broken.yaml"
exits "a file that does not parse names no node" 2 '--pins DIR' "$weir" observe on -c "$scratch/broken.yaml"
exits "then its pins do" 1 "$nowhere: nothing is pinned" "$weir" observe on -c "$scratch/broken.yaml" --pins "$nowhere"

## what this version does not have

run "$weir" quota --json
tap_is "no quotas" "$status $(jq -c . <<<"$out")" '0 {"quotas":[]}'
exits "a quota by name" 1 'monthly.*no quotas' "$weir" quota monthly
exits "quota spend spends nothing and says so" 1 'nothing was spent' "$weir" quota spend monthly 10.0.0.1 5 --id a
exits "quota spend without a key" 2 '--id KEY' "$weir" quota spend monthly 10.0.0.1 5
run "$weir" fleet --json "${here[@]}"
tap_is "the fleet is this node" "$status $(jq -c . <<<"$out")" \
	'0 {"nodes":[{"name":"one","last_seen_s":0,"slot":0,"differs":[]}]}'
exits "there is no other to forget" 1 'two' "$weir" fleet forget two "${here[@]}"
exits "fleet forget without a name" 2 'NAME' "$weir" fleet forget
exits "a fleet in another store is not made up" 1 'embedded' "$weir" fleet -c "$scratch/redis.yaml"

## not root

for command in status top "explain 10.0.0.1" "key web 10.0.0.1" "observe on" reload detach run; do
	# shellcheck disable=SC2086 # words of a command line
	exits "$command without root" 1 'needs root' as_nobody "$weir" $command "${here[@]}"
done
run as_nobody "$weir" check "$scratch/good.yaml"
tap_is "check needs no root" "$status" 0
run as_nobody "$weir" version --json
tap_is "nor does version, but for the kernel's features" \
	"$status $(jq -c '[.version, .features]' <<<"$out")" "0 [\"$(sed -n 's/^VERSION *:= *//p' Makefile)\",null]"

## version

run "$weir" version --json
tap_is "version --json names versions, kernel and features" \
	"$status $(jq -r '[(.version, .libbpf, .kernel | type), (.features | type), (.features | map(has("name", "found", "required")) | all)] | join(" ")' <<<"$out")" \
	"0 string string string array true"
tap_is "--version is version" "$("$weir" --version)" "$("$weir" version)"

## colour

tap_is "colour on a terminal" "$(has_escape "$(on_terminal "$weir version")")" yes
tap_is "not with NO_COLOR" "$(has_escape "$(NO_COLOR=1 on_terminal "$weir version")")" no
tap_is "an empty NO_COLOR is none" "$(has_escape "$(NO_COLOR='' on_terminal "$weir version")")" yes
tap_is "not on a dumb terminal" "$(has_escape "$(on_terminal "TERM=dumb $weir version")")" no
tap_is "not in a pipe" "$(has_escape "$(TERM=xterm "$weir" version)")" no

## output that does not arrive

for arguments in --help "top --help" version "version --json" "check $scratch/good.yaml" \
	"check --json $scratch/good.yaml" quota; do
	status=0
	# shellcheck disable=SC2086 # words of a command line
	"$weir" $arguments >/dev/full 2>"$scratch/err" || status=$?
	tap_like "a full disk is a failure: $arguments" "$status $(<"$scratch/err")" '^1 .*writing the output failed'
	status=0
	# shellcheck disable=SC2086
	"$weir" $arguments >&- 2>"$scratch/err" || status=$?
	tap_like "a closed stdout is a failure: $arguments" "$status $(<"$scratch/err")" '^1 .*writing the output'
done
mkfifo "$scratch/gone"
exec {reader}<>"$scratch/gone"
exec {writer}>"$scratch/gone"
exec {reader}<&-
status=0
# shellcheck disable=SC2261 # stdout and stderr
"$weir" version 1>&"$writer" 2>"$scratch/err" || status=$?
exec {writer}>&-
tap_like "a full disk is named" "$("$weir" version 2>&1 >/dev/full || :)" 'No space left'
tap_like "a reader that is gone is a failure, not a signal" "$status $(<"$scratch/err")" '^1 .*Broken pipe'
status=0
"$weir" check "$scratch/good.yaml" <&- >"$scratch/out" 2>&- || status=$?
tap_is "closed stdin and stderr do no harm" "$status $(head -c 1 "$scratch/out")" "0 /"
status=0
"$weir" check "$scratch/wrong.yaml" >/dev/full 2>/dev/null || status=$?
tap_is "wrong input stays wrong input, whatever the output" "$status" 2

tap_done
