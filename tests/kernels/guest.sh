# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=dash
#
# What is tried on each kernel, by dash as root in a guest of its own (tests/kernels/run).
# On the kernel's command line, weir_test=limits: a node protected from its start to its end.
# weir_test=refusal: a kernel that is too old, and what weir says to it. Each point is a line "ok - NAME" or
# "not ok - NAME"; the last line counts them. Nothing has to be taken away: the guest ends.

points=0
policy=/tmp/weir.yaml

ok() {
	points=$((points + 1))
	echo "ok - $1"
}

# not_ok NAME LINES
not_ok() {
	points=$((points + 1))
	echo "not ok - $1"
	echo "$2" | sed 's/^/# /'
}

# is NAME SEEN WANTED
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "seen: $2
wanted: $3"; fi
}

# like NAME SEEN REGEX, of a line
like() {
	if echo "$2" | grep -qE "$3"; then ok "$1"; else not_ok "$1" "seen: $2
wanted: a match of $3"; fi
}

# empty NAME LINES
empty() {
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}

# runs NAME COMMAND...
runs() {
	name=$1
	shift
	if output=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$output"; fi
}

# within SECONDS COMMAND...: it succeeds before long
within() {
	tries=$(($1 * 10))
	shift
	until "$@"; do
		[ $((tries = tries - 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

uptime_ms() {
	awk '{ print int($1 * 1000) }' /proc/uptime
}

## The network: w0 is protected, p0 sends; w1 and p1 take large frames

make_network() {
	ip netns add peer
	ip link add w0 type veth peer name p0 netns peer
	ip addr add 10.9.0.1/16 dev w0
	ip addr add fd00:9::1/64 dev w0 nodad
	ip link set w0 up
	for address in 10.9.0.2/16 10.9.0.3/16 10.9.0.4/16 10.9.1.2/16 10.9.2.2/16 10.9.3.2/16; do
		ip -n peer addr add $address dev p0
	done
	ip -n peer addr add fd00:9::2/64 dev p0 nodad
	ip -n peer link set p0 up
	ip link add w1 mtu 9000 type veth peer name p1 mtu 9000 netns peer
	ip addr add 10.8.0.1/24 dev w1
	ip link set w1 up
	ip -n peer addr add 10.8.0.2/24 dev p1
	ip -n peer link set p1 up
}

# answered COUNT ADDRESS TO [OPTION...]: how many of COUNT pings from ADDRESS came through and back
answered() {
	count=$1 address=$2 to=$3
	shift 3
	ip netns exec peer ping -q -n -i 0.01 -W 0.3 -c "$count" -I "$address" "$@" "$to" |
		sed -n 's/.* \([0-9]*\) received.*/\1/p'
}

## Agents

# write_policy BURST: of the limit on pings
write_policy() {
	cat >$policy <<-END
		node: guest
		interfaces: [w0, w1]
		store: {url: embedded}
		always_drop: [10.9.1.0/24]
		never_limit: [10.9.2.0/24]
		limits:
		  - name: pings
		    match: {proto: icmp, from: [10.9.0.0/24, 10.9.2.0/24]}
		    node_rate: 1 packets/h
		    burst: $1 packets
		  - name: pings6
		    match: {proto: icmpv6}
		    node_rate: 1 packets/h
		    burst: 7 packets
		  - name: steady
		    match: {proto: icmp, from: 10.9.3.0/24}
		    node_rate: 10 packets/s
		    burst: 5 packets
		  - name: large
		    match: {proto: icmp, from: 10.8.0.0/24}
		    node_rate: 1 packets/h
		    burst: 4 packets
		  - name: bytes
		    node_rate: 1 MB/s
		    burst: 100 KB
	END
}

times_ready() {
	grep -c '^weir: notice: ready' /tmp/agent.log
}

# shellcheck disable=SC2317 # called by within
is_ready() {
	[ "$(times_ready)" -gt "$before" ] || ! kill -0 "$agent" 2>/dev/null
}

# start_agent NAME: a point; its log is /tmp/agent.log
start_agent() {
	before=$(times_ready) since=$(uptime_ms)
	weir run -c $policy >>/tmp/agent.log 2>&1 &
	agent=$!
	within 30 is_ready
	if [ "$(times_ready)" -gt "$before" ]; then
		ok "$1"
		took=$(($(uptime_ms) - since))
	else
		not_ok "$1" "$(cat /tmp/agent.log)"
		finish
	fi
}

field() {
	weir status -c $policy --json | jq -r "$1"
}

attach_of() {
	field ".interfaces[] | select(.name == \"$1\") | .attach"
}

limit() {
	field ".limits[] | select(.name == \"$1\") | .$2.packets"
}

attached() {
	ip -d link show | grep -o 'prog/xdp id [0-9]*'
}

# What the kernel complained of.
complaints() {
	dmesg | grep -E 'BUG:|WARNING:|Oops|Call Trace|rcu.*stall|hung_task'
}

finish() {
	empty "the kernel complained of nothing" "$(complaints)"
	echo "guest: $points points"
	exit
}

## The tests

# A kernel that lacks something: it is named, and nothing is touched.
test_refusal() {
	like "weir version shows what is missing" "$(weir version)" '^ *timer +MISSING'
	output=$(weir run -c $policy 2>&1)
	is "weir run ends with 1" "$?" 1
	like "it names all that the kernel lacks" "$output" 'kernel lacks timer .*, compare-and-swap '
	like "and from which kernel on it is there" "$output" 'Linux 5\.15'
	is "all in one line" "$(echo "$output" | wc -l)" 1
	empty "nothing is pinned" "$(find /sys/fs/bpf -mindepth 1)"
	empty "nothing is attached" "$(attached)"
	empty "nothing is left of it" "$(find /run/weir /var/lib/weir 2>/dev/null)"
	is "and packets pass" "$(answered 5 10.9.0.2 10.9.0.1)" 5
	runs "weir check works all the same" weir check $policy
}

test_limits() {
	empty "weir version misses nothing" \
		"$(weir version --json | jq -r '.features[] | select(.required and (.found | not)) | .name')"
	runs "the policy is valid" weir check $policy
	start_agent "an agent starts"
	is "it attaches natively" "$(attach_of w0)" native
	is "a burst passes exactly" "$(answered 20 10.9.0.2 10.9.0.1)" 5
	is "and is counted" "$(limit pings admitted) $(limit pings refused)" "5 15"
	is "so is IPv6" "$(answered 20 fd00:9::2 fd00:9::1)" 7
	is "always_drop drops" "$(answered 5 10.9.1.2 10.9.0.1)" 0
	is "never_limit passes" "$(answered 20 10.9.2.2 10.9.0.1)" 20
	is "packets in fragments pass" "$(answered 3 10.9.2.2 10.9.0.1 -s 4000)" 3
	# In several buffers from Linux 5.18 on; before that drivers do not take such frames with XDP.
	is "frames of 8,000 bytes are held to their limit" "$(answered 10 10.8.0.2 10.8.0.1 -s 8000 -M "do")" 4
	echo "# the interface with large frames: $(attach_of w1)"
}

# A rate over some seconds of the guest's clock, on top of the burst
test_rate() {
	since=$(uptime_ms)
	passed=$(answered 400 10.9.3.2 10.9.0.1)
	most=$((5 + ($(uptime_ms) - since + 999) / 100))
	if [ "$passed" -le $most ] && [ "$passed" -ge $((most * 8 / 10)) ]; then
		ok "a rate is held over time, and given"
	else
		not_ok "a rate is held over time, and given" "$passed passed, the limit is $most"
	fi
}

test_commands() {
	runs "observe on" weir observe on -c $policy
	is "passes everything" "$(answered 10 10.9.0.2 10.9.0.1)" 10
	like "and counts what would be refused" "$(field .reasons.would_refuse.packets)" '^[1-9][0-9]$'
	runs "observe off" weir observe off -c $policy
	is "and nothing was refilled" "$(answered 5 10.9.0.2 10.9.0.1)" 0
	is "top knows the source" "$(weir top -c $policy --once --interval 200ms --json |
		jq -r '[.sources[].source] | map(select(. == "10.9.0.2")) | unique[]')" 10.9.0.2
	like "explain says what becomes of it" "$(weir explain -c $policy 10.9.0.2 --proto icmp)" 'verdict: drop'
	is "key finds its bucket" "$(weir key -c $policy pings 10.9.0.2 --json | jq .present)" true
	like "the metrics have its limit" "$(wget -q -O - http://127.0.0.1:9477/metrics)" '^weir_.*limit="pings"'
}

test_reload() {
	write_policy 8
	since=$(uptime_ms)
	runs "a reload with another burst" weir reload -c $policy
	echo "# start $took ms, reload $(($(uptime_ms) - since)) ms"
	is "gives the difference, and what was owed stays owed" "$(answered 20 10.9.0.2 10.9.0.1)" 3
	is "what did not change was not touched" "$(answered 5 fd00:9::2 fd00:9::1)" 0
	runs "a second one at once" weir reload -c $policy
	is "gives nothing" "$(answered 5 10.9.0.2 10.9.0.1)" 0
}

# Forty limits more on the same packets. Where each table meant a wait for a grace period this took
# seconds of the guest's time.
test_many() {
	for i in $(seq 40); do
		printf '  - {name: more-%d, node_rate: 1000 packets/s, burst: 2000 packets, buckets: 64}\n' "$i"
	done >>$policy
	since=$(uptime_ms)
	runs "a reload with forty limits more" weir reload -c $policy
	took=$(($(uptime_ms) - since))
	if [ $took -le 1500 ]; then
		ok "takes no long wait"
	else
		not_ok "takes no long wait" "$took ms"
	fi
	echo "# it took $took ms"
	is "a packet meets them all" "$(answered 20 10.9.0.4 10.9.0.1) $(limit more-40 admitted)" "8 8"
}

test_takeover() {
	admitted=$(limit pings admitted)
	kill -KILL $agent
	wait $agent 2>/dev/null
	is "with the agent killed, the limits stay" "$(answered 5 10.9.0.2 10.9.0.1)" 0
	within 5 [ "$(field .agent.alive)" = false ]
	is "and the status says that it is gone" "$(field .agent.alive)" false
	start_agent "the next agent starts"
	is "with the same counts" "$(limit pings admitted)" "$admitted"
	is "and the same buckets" "$(answered 5 10.9.0.2 10.9.0.1) $(answered 5 fd00:9::2 fd00:9::1)" "0 0"
	is "and others have their burst" "$(answered 20 10.9.0.3 10.9.0.1)" 8
}

test_end() {
	kill -TERM $agent
	wait $agent
	is "told to end, the agent ends with 0" "$?" 0
	is "and the limits stay" "$(answered 5 10.9.0.2 10.9.0.1)" 0
	runs "weir detach" weir detach -c $policy
	empty "leaves no pin" "$(find /sys/fs/bpf -mindepth 1)"
	empty "and no program" "$(attached)"
	is "and packets pass" "$(answered 10 10.9.0.2 10.9.0.1)" 10
}

: >/tmp/agent.log
make_network
write_policy 5
if grep -q 'weir_test=refusal' /proc/cmdline; then
	test_refusal
else
	test_limits
	test_rate
	test_commands
	test_reload
	test_many
	test_takeover
	test_end
fi
finish
