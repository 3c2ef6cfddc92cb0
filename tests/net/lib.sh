# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is for those who source it
#
# For tests with real packets: source it. It makes a world of network namespaces, writes policies,
# starts and kills agents, sends and counts traffic, and takes everything away again.
#
#   net_up                     weir-$$-host with w0 (protected) and weir-$$-peer with p0 at its other end
#   policy NAME <<END          a policy file with paths of its own
#   start_agent NAME           weir run on it, until it says it is alive
#   count_start / send / count_stop    traffic, and what came through
#
# Everything has $$ in its name, so tests do not meet. Nothing here waits for a fixed time: wait_for
# looks again until a deadline.

# shellcheck source=../tap.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WEIR=${WEIR:-$root/build/san/weir}
tools=$root/build/net
world=weir-$$
scratch=$(mktemp -d "${TMPDIR:-/tmp}/$world.XXXXXX")
# The node that commands are about; policy sets it.
node=
# What traffic.sh found out last.
sent='' sent_json='' counted=''
declare -A agent_of=() namespace_of=() sender_of=()
started=()

# The two ends of the usual link.
host4=10.77.0.1 peer4=10.77.0.2 host6=fd00:77::1 peer6=fd00:77::2
# Nobody's address on the link, and known to the peer all the same: what is sent there is counted and then dropped by the stack, so that no
# answer disturbs the counts.
sink4=10.77.0.9 sink6=fd00:77::9

cleanup() {
	local status=$? pid name
	trap - EXIT INT TERM HUP
	set +e
	for pid in "${started[@]}"; do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	for name in "${!namespace_of[@]}"; do
		kill_agent "$name"
		weir_of "$name" detach >/dev/null 2>&1
	done
	rm -rf "/sys/fs/bpf/$world-"*
	for name in /run/netns/"$world"-*; do
		[[ ! -e $name ]] || ip netns del "${name##*/}"
	done
	rm -rf "$scratch"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

## Time

# wait_for SECONDS COMMAND...: until it succeeds; false when it did not in time
wait_for() {
	local microseconds deadline
	printf -v microseconds '%.0f' "$1e6"
	deadline=$((${EPOCHREALTIME/./} + microseconds))
	shift
	until "$@"; do
		((${EPOCHREALTIME/./} < deadline)) || return 1
		sleep 0.02
	done
}

# ended PID...: none of them runs any more
ended() {
	local pid
	for pid; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
}

# is_past MICROSECONDS: of the wall clock
is_past() {
	((${EPOCHREALTIME/./} >= $1))
}

# is EXPRESSION: arithmetic with fractions, of awk
is() {
	awk "BEGIN { exit !($*) }"
}

# tap_that NAME EXPRESSION [LINE...]: the arithmetic holds
tap_that() {
	local name=$1 expression=$2
	shift 2
	if is "$expression"; then
		tap_ok "$name"
	else
		tap_not_ok "$name" "does not hold: $expression" "$@"
	fi
}

# tap_within NAME SEEN LEAST MOST [LINE...]
tap_within() {
	local name=$1 seen=$2 least=$3 most=$4
	shift 4
	tap_that "$name" "$seen >= $least && $seen <= $most" "$@"
}

# A tick of the coarse clock. A limit that goes by it gives up two ticks of rate from its burst.
tick_s=$(/usr/bin/python3 -c 'import time; print(time.clock_getres(6))')

# least RATE BURST SECONDS: what has to pass of a source that asks for more all the time. A token's time is
# rounded up by less than 1/256, and the last token may be on its way.
least() {
	awk -v tick="$tick_s" "BEGIN {
		rate = $1; burst = $2; seconds = $3
		lost = 2 * tick * rate
		if (lost * 10 <= burst)
			burst -= lost
		printf \"%d\", burst + 0.996 * rate * seconds - 1
	}"
}

## Namespaces

# in_space NAME COMMAND...: not `ip netns exec`, which would hide the BPF file system
in_space() {
	nsenter --net="/run/netns/$world-$1" "${@:2}"
}

in_host() {
	in_space host "$@"
}

in_peer() {
	in_space peer "$@"
}

# make_space NAME: quiet: no router solicitations, no duplicate address detection
make_space() {
	ip netns add "$world-$1"
	in_space "$1" sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 \
		net.ipv6.conf.default.router_solicitations=0 net.ipv4.icmp_ratelimit=0
	in_space "$1" ip link set lo up
}

# make_link SPACE DEV PEER-SPACE PEER-DEV [MTU [QUEUES]]
make_link() {
	local space=$1 dev=$2 peer_space=$3 peer_dev=$4 mtu=${5:-1500} queues=${6:-1}
	ip link add "$dev" netns "$world-$space" mtu "$mtu" numtxqueues "$queues" numrxqueues "$queues" \
		type veth peer name "$peer_dev" netns "$world-$peer_space" mtu "$mtu" \
		numtxqueues "$queues" numrxqueues "$queues"
	calm_link "$space" "$dev"
	calm_link "$peer_space" "$peer_dev"
}

# One frame sent is one frame received, with its checksum in it; a full ring is waited for instead
# of dropping (which takes a queueing discipline).
calm_link() {
	in_space "$1" ethtool -K "$2" tx off rx off sg off tso off gso off gro off >/dev/null
	in_space "$1" tc qdisc replace dev "$2" root pfifo limit 2000
	in_space "$1" ip link set "$2" addrgenmode none up
}

# net_up [MTU [QUEUES]]: the usual two spaces and the link between them
net_up() {
	make_space host
	make_space peer
	make_link host w0 peer p0 "$@"
	address_link host w0 "$host4" "$host6" peer p0 "$peer4" "$peer6"
}

# address_link SPACE DEV IPV4 IPV6 PEER-SPACE PEER-DEV IPV4 IPV6: both ends know each other's MAC
address_link() {
	local from=("${@:1:4}") to=("${@:5:4}")
	in_space "${from[0]}" ip addr add "${from[2]}/24" dev "${from[1]}"
	in_space "${from[0]}" ip addr add "${from[3]}/64" dev "${from[1]}" nodad
	in_space "${to[0]}" ip addr add "${to[2]}/24" dev "${to[1]}"
	in_space "${to[0]}" ip addr add "${to[3]}/64" dev "${to[1]}" nodad
	know_neighbours "${from[@]}" "$(mac_of "${to[@]:0:2}")" "${to[@]:2:2}"
	know_neighbours "${to[@]}" "$(mac_of "${from[@]:0:2}")" "${from[@]:2:2}" "${from[2]%.*}.9" "${from[3]%::*}::9"
}

# know_neighbours SPACE DEV IPV4 IPV6 MAC ADDRESS...
know_neighbours() {
	local space=$1 dev=$2 mac=$5 address
	for address in "${@:6}"; do
		in_space "$space" ip neigh replace "$address" lladdr "$mac" dev "$dev" nud permanent
	done
}

# bytes_of MAC: as trafgen writes them
bytes_of() {
	sed 's/[0-9a-f][0-9a-f]/0x&/g; s/:/, /g' <<<"$1"
}

mac_of() {
	in_space "$1" ip -o link show dev "$2" | sed -n 's/.*link\/ether \([^ ]*\).*/\1/p'
}

# spawn SPACE OUT ERR COMMAND...: in the background; $spawned is the command's own process
spawn() {
	nsenter --net="/run/netns/$world-$1" "${@:4}" >>"$2" 2>>"$3" </dev/null &
	spawned=$!
	started+=("$spawned")
}

## Agents

# policy NAME <<END: writes NAME's policy, and makes NAME the node that commands are about. What the
# text does not say of node, interfaces, metrics and paths is added.
policy() {
	local file=$scratch/$1.yaml text
	text=$(cat)
	node=$1
	namespace_of[$1]=${namespace_of[$1]:-host}
	[[ $text == *'node: '* ]] || text="node: $1"$'\n'$text
	[[ $text == *'interfaces:'* ]] || text="interfaces: [w0]"$'\n'$text
	[[ $text == *'store:'* ]] || text="store: {url: embedded}"$'\n'$text
	printf '%s\n%s\n' "$text" \
		"paths: {pins: /sys/fs/bpf/$world-$1, state: $scratch/$1.state, run: $scratch/$1.run}" >"$file"
}

# weir_of NAME COMMAND [ARGUMENT...]: a command about one node
weir_of() {
	local name=$1 command=$2
	shift 2
	in_space "${namespace_of[$name]}" "$WEIR" "$command" -c "$scratch/$name.yaml" "$@"
}

weir() {
	weir_of "$node" "$@"
}

# weir_pins COMMAND [ARGUMENT...]: the same for one whose policy file is not to be read
weir_pins() {
	in_space "${namespace_of[$node]}" "$WEIR" "$1" --pins "/sys/fs/bpf/$world-$node" "${@:2}"
}

status_json() {
	weir status --json
}

# field FILTER: of the status
field() {
	status_json | jq -r "$1"
}

alive() {
	[[ $(node=$1 weir_pins status --json 2>/dev/null | jq -r '.agent.alive' 2>/dev/null) == true ]]
}

not_alive() {
	! alive "$node"
}

# program_id [SPACE DEV]: of the XDP program on an interface, 0 when there is none
program_id() {
	in_space "${1:-host}" ip -d -j link show dev "${2:-w0}" | jq '.[0].xdp.prog.id // 0'
}

# launch NAME: starts an agent and does not wait; its log is NAME.log
launch() {
	node=$1
	: >>"$scratch/$1.log"
	spawn "${namespace_of[$1]}" "$scratch/$1.log" "$scratch/$1.log" "$WEIR" run -c "$scratch/$1.yaml"
	agent_of[$1]=$spawned
}

# Times that an agent of NAME said it was ready.
times_ready() {
	grep -cE '^weir: notice: ready( |$)' "$scratch/$1.log" 2>/dev/null || :
}

# ready NAME COUNT: it said so more than COUNT times, or it has ended
ready() {
	(($(times_ready "$1") > $2)) || ended "${agent_of[$1]}"
}

# A test whose agent does not start has nothing to say.
start_agent() {
	local name=${1:-$node} before
	before=$(times_ready "$name")
	launch "$name"
	wait_for 30 ready "$name" "${before:-0}" || :
	if ! (($(times_ready "$name") > ${before:-0})); then
		printf 'Bail out! the agent of %s is not ready\n' "$name"
		sed 's/^/# /' "$scratch/$name.log"
		exit 1
	fi
}

# stop_agent [NAME [SIGNAL]]: and waits for its end; sets agent_status
stop_agent() {
	local name=${1:-$node} pid
	pid=${agent_of[$name]:-}
	agent_status=0
	[[ $pid ]] || return 0
	kill -"${2:-TERM}" "$pid" 2>/dev/null || :
	wait "$pid" 2>/dev/null || agent_status=$?
	unset "agent_of[$name]"
}

kill_agent() {
	stop_agent "${1:-$node}" KILL
}

agent_log() {
	cat "$scratch/${1:-$node}.log"
}

# metrics: the page, as Prometheus gets it
metrics() {
	in_space "${namespace_of[$node]}" curl -sS --max-time 5 http://127.0.0.1:9477/metrics
}

# metric SERIES: its value
metric() {
	metrics | awk -v series="$1" 'substr($0, 1, length(series) + 1) == series " " { print $NF }'
}

# shellcheck source=traffic.sh
source "$(dirname "${BASH_SOURCE[0]}")/traffic.sh"

## For wait_for

# has_limits NAMES: the status lists these, in order
has_limits() {
	[[ $(field '[.limits[].name] | join(" ")') == "$1" ]]
}

# log_has REGEX
log_has() {
	grep -qE "$1" "$scratch/$node.log"
}

# protects DEV: the status says so
protects() {
	[[ $(status_json | jq -r --arg dev "$1" '.interfaces[] | select(.name == $dev) | .attach') == native ]]
}

# listens PORT: something in the host does
listens() {
	[[ $(in_host ss -Htln "sport = :$1") ]]
}

# connected PORT: to something in the host
connected() {
	[[ $(in_host ss -Htn state established "sport = :$1") ]]
}

# in_top SOURCE: it is known by name
in_top() {
	weir top --once --interval 200ms --json | jq -e --arg source "$1" 'any(.sources[]; .source == $source)' >/dev/null
}
