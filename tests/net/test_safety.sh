#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# For root alone, one agent to a folder, several nodes to a machine, and nothing printed raw.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
make_space second
make_link second w0 peer p1
address_link second w0 10.78.0.1 fd00:78::1 peer p1 10.78.0.2 fd00:78::2

limits='limits:
  - name: udp
    match: {proto: udp}
    node_rate: 100 packets/s
    burst: 50 packets'
policy safety <<<"$limits"
start_agent safety

## permissions

# open_to_others PATH...: what anybody but root may do with them
open_to_others() {
	find "$@" -not -type l \( -perm /077 -o -not -uid 0 \) -printf '%M %u %p\n'
}
tap_empty "pins are for root alone" "$(open_to_others "/sys/fs/bpf/$world-safety")"
tap_empty "so is the run folder, with the control socket" "$(open_to_others "$scratch/safety.run")"
tap_that "there is a control socket" "$(find "$scratch/safety.run" -type s | wc -l) == 1"
[[ ! -e $scratch/safety.state ]] || tap_empty "so is the state folder" "$(open_to_others "$scratch/safety.state")"

# as_nobody COMMAND...: without any privilege
as_nobody() {
	in_host setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}
chmod 755 "$scratch"
for command in run status top "explain 10.1.0.1" reload "observe on" "key udp 10.1.0.1" detach; do
	# shellcheck disable=SC2046,SC2086 # a command and its words
	output=$(as_nobody "$WEIR" ${command%% *} -c "$scratch/safety.yaml" $(cut -s -d' ' -f2- <<<"$command") 2>&1) &&
		status=0 || status=$?
	tap_like "without root, weir $command says that it needs root" "$status $output" '^1 .*root'
done
tap_run "weir check needs no root" as_nobody "$WEIR" check "$scratch/safety.yaml"
tap_is "nothing changed by that" "$(field '[.observing, .agent.alive] | map(tostring) | join(" ")')" "false true"

output=$(in_host unshare --user --map-root-user "$WEIR" run -c "$scratch/safety.yaml" 2>&1) && status=0 || status=$?
tap_like "root of a user namespace is not root enough, and is told so" "$status $output" \
	'^1 .*(root|privilege|capabilit|permi)'

## no BPF file system

sed "s#pins: [^,]*#pins: $scratch/not-bpf#" "$scratch/safety.yaml" >"$scratch/not-bpf.yaml"
output=$(in_host "$WEIR" run -c "$scratch/not-bpf.yaml" 2>&1) && status=0 || status=$?
tap_like "pins outside of a BPF file system are refused, with what to do" "$status $output" '^1 .*(bpf|BPF).*mount'
tap_empty "and nothing is made there" "$(find "$scratch/not-bpf" 2>/dev/null || :)"

## two agents

output=$(weir run 2>&1) && status=0 || status=$?
tap_like "a second agent for the same pins refuses" "$status $output" '^1 .*another.* agent'
tap_run "and the first goes on" alive safety
output=$(weir detach 2>&1) && status=0 || status=$?
tap_like "detach refuses while an agent runs" "$status $output" '^1 .*agent'
tap_is "and leaves the program on" "$(($(program_id host w0) > 0))" 1

## two nodes

namespace_of[second]=second
policy second <<<"node: other"$'\n'"$limits"
start_agent second
tap_is "two nodes on one machine, each with its own pins" \
	"$(weir_of safety status --json | jq -r .node) $(weir_of second status --json | jq -r .node)" "safety other"
send --src 10.1.0.1 --dst $sink4 --count 200
know_neighbours peer p1 - - "$(mac_of second w0)" 10.78.0.9
send_from peer p1 second w0 --src 10.1.0.1 --dst 10.78.0.9 --count 300 >/dev/null
tap_is "what one counts the other does not" \
	"$(for name in safety second; do
		weir_of $name status --json | jq '.limits[0] | .admitted.packets + .refused.packets'
	done | paste -sd' ')" "200 300"
stop_agent second
tap_run "detaching one" weir_of second detach
tap_run "leaves the other on" alive safety
tap_is "and its program" "$(($(program_id host w0) > 0)) $(program_id second w0)" "1 0"
node=safety

## secrets, and what an attacker may write

echo "very-secret" >"$scratch/redis.pass"
chmod 600 "$scratch/redis.pass"
policy secret <<<"store: {url: \"redis://weir@192.0.2.1\", fleet: f, nodes_max: 2, password_file: $scratch/redis.pass}
limits:
  - name: one
    fleet_rate: 10 packets/s
    burst: 10 packets
    on_store_loss: share"
output=$(weir check 2>&1; weir check --json 2>&1; weir run 2>&1) || :
tap_that "a password is in no output" "$(grep -c very-secret <<<"$output" || :) == 0"
policy secret <<<"store: {url: \"redis://weir:in-the-url@192.0.2.1\", fleet: f, nodes_max: 2}
$limits"
output=$(weir check 2>&1) && status=0 || status=$?
tap_is "a password in a URL is refused" "$status" 2
tap_that "without being printed" "$(grep -c in-the-url <<<"$output" || :) == 0" "$output"
node=safety

printf 'limits:\n  - name: "a\\e[31mred\\e]0;title\\a"\n    node_rate: 1 packets/s\n    burst: 1 packets\n' >"$scratch/odd.yaml"
sed -i '1i interfaces: [w0]\nstore: {url: embedded}' "$scratch/odd.yaml"
output=$("$WEIR" check "$scratch/odd.yaml" 2>&1) || :
tap_is "control bytes of a file are not printed raw" "$(LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]' <<<"$output" || :)" 0
printf '\xff\xfe\x00\x01' >"$scratch/binary.yaml"
output=$("$WEIR" check "$scratch/binary.yaml" 2>&1) && status=0 || status=$?
tap_is "a file that is no text is refused" "$status" 2

# Rubbish on the control socket, and clients that never say anything, do not stop the agent.
for _ in {1..3}; do
	head -c 100000 /dev/urandom | timeout 2 /usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
try:
    s.sendall(sys.stdin.buffer.read())
    s.recv(4096)
except OSError:
    pass' "$scratch/safety.run/control.sock" || :
done
silent=()
for _ in {1..16}; do
	spawn host /dev/null /dev/null /usr/bin/python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
time.sleep(60)' "$scratch/safety.run/control.sock"
	silent+=("$spawned")
done
tap_run "sixteen silent clients and rubbish: a reload still gets through" wait_for 15 weir reload
kill "${silent[@]}"
tap_run "and the agent lives" alive safety
# One address that holds all the connections it gets, with a byte a second on each, leaves others theirs.
policy safety <<<"$limits"$'\n'"metrics: {listen: \"0.0.0.0:9477\"}"
weir reload >/dev/null
spawn peer "$scratch/drip" "$scratch/drip" /usr/bin/python3 -c '
import socket, sys, time
held = []
for _ in range(64):
    held.append(socket.create_connection((sys.argv[1], 9477), 2))
    try:
        held[-1].send(b"GET /metrics HTTP/1.1\r\nX: ")
    except OSError:
        pass
print("held", flush=True)
while True:
    time.sleep(1)
    for s in held:
        try:
            s.send(b"x")
        except OSError:
            pass' "$host4"
drip=$spawned
tap_run "slow clients hold the metrics" wait_for 10 grep -q held "$scratch/drip"
tap_like "others get them all the same" "$(metrics 2>&1 || :)" 'weir_build_info'
kill "$drip"

secrets=$(tr '\0' '\n' <"/proc/${agent_of[safety]}/cmdline" | grep -c secret || :)
tap_is "no secret on the command line" "$secrets" 0

tap_done
