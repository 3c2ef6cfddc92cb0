#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The agent dies, is killed, is started again, again and again; packets do not notice.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy agent <<'END'
limits:
  - name: udp
    match: {proto: udp}
    node_rate: 200 packets/s
    burst: 100 packets
  - name: fleet
    match: {proto: tcp}
    fleet_rate: 200 packets/s
    burst: 100 packets
    on_store_loss: closed
END
start_agent agent

# load SECONDS: a flood and a polite source on each limit, in the background; new sources each time, whose
# buckets are full
load() {
	loads=$((loads + 1))
	flood=10.1.$loads.1
	send_start flood --src "$flood" --dst $sink4 --rate 2000 --seconds "$1"
	send_start fleet --src 10.1.$loads.2 --dst $sink4 --proto tcp --rate 2000 --seconds "$1"
	send_start polite --src fd00:1:0:$loads::1 --dst $sink6 --rate 150 --seconds "$1"
}

loads=0
offered=0
load_end() {
	offered=0
	for name in flood fleet polite; do
		kill -TERM "${sender_of[$name]}" 2>/dev/null || :
		send_wait $name
		offered=$((offered + sent))
	done
	polite=$sent
}

# Packets of both limits, whatever became of them
limits_count() {
	status_json | jq '[.limits[] | .admitted.packets + .refused.packets] | add'
}

## case 16: killed with -9 while traffic flows

count_start --rate 200 --burst 100
before=$(limits_count)
load 30
wait_for 10 is_more fleet refused 100
kill_agent agent
tap_run "case 16: the status works with the agent dead" weir status
wait_for 5 not_alive
tap_is "case 16: and says so" "$(field .agent.alive)" false
tap_that "case 16: with the age of its last sign of life" "$(field .agent.heartbeat_age_s) > 0.2"
refused=$(limit_count udp refused)
wait_for 5 is_more udp refused "$refused"
tap_that "case 16: limits stay on" "$(limit_count udp refused) > $refused"
tap_is "case 16: the program is still attached" "$(field '.interfaces[0].attach')" native
admitted=$(limit_count udp admitted)
start_agent agent
tap_that "case 16: the next agent goes on with the same counters" \
	"$(limit_count udp admitted) >= $admitted && $admitted > 0"
load_end
count_stop
tap_bound "case 16: no source is refilled by the death or the restart"
tap_that "case 16: nobody stood still either" \
	"$(arrived "$flood") >= $(least 200 100 "$(jq ".seconds - .late_s" "$scratch/send.flood")")" "$counted"
tap_is "case 16: the polite source lost nothing" "$(arrived "fd00:1:0:$loads::/64")" "$polite"
tap_is "case 16: every packet met the limits" $(($(limits_count) - before)) "$offered"
tap_like "case 16: the log says how long no agent was there" "$(agent_log agent)" \
	"takeover|taken over|without an agent|agent_away|heartbeat"

## frozen instead of dead

count_start --rate 200 --burst 100
load 30
kill -STOP "${agent_of[agent]}"
wait_for 10 not_alive
refused=$(limit_count udp refused)
tap_run "a frozen agent: limits stay on" wait_for 5 is_more udp refused "$refused"
tap_is "and the status says that it shows no sign of life" "$(field .agent.alive)" false
kill -CONT "${agent_of[agent]}"
tap_run "it goes on where it was" wait_for 5 alive agent
load_end
count_stop
tap_bound "no source gained by that"

## case 17: twenty restarts under load

count_start --rate 200 --burst 100
before=$(limits_count)
program=$(program_id host w0)
load 150
signal=TERM
for _ in {1..20}; do
	stop_agent agent $signal
	[[ $signal == KILL ]] && signal=TERM || signal=KILL
	start_agent agent
done
load_end
count_stop
tap_bound "case 17: twenty restarts under load: no source is refilled"
tap_is "case 17: the polite source lost no packet" "$(arrived "fd00:1:0:$loads::/64")" "$polite"
tap_that "case 17: the flood got all the limit gives, all the time" \
	"$(arrived "$flood") >= $(least 200 100 "$(jq ".seconds - .late_s" "$scratch/send.flood")")" "$counted"
tap_is "case 17: no instant unprotected: every packet met the limits" \
	$(($(limits_count) - before)) "$offered"
tap_that "case 17: and the program was replaced in place" "$(program_id host w0) != $program"

## what systemd is told

cat >"$scratch/notify.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)
END
spawn host "$scratch/notified" "$scratch/notified" /usr/bin/python3 "$scratch/notify.py" "$scratch/notify"
wait_for 10 grep -qs bound "$scratch/notified"
stop_agent agent
export NOTIFY_SOCKET=$scratch/notify
start_agent agent
tap_run "systemd is told when the node is protected" wait_for 5 grep -qs '^READY=1' "$scratch/notified"
weir reload >/dev/null
tap_run "and of a reload" wait_for 5 grep -qs '^RELOADING=1' "$scratch/notified"
stop_agent agent
tap_run "and of the end" wait_for 5 grep -qs '^STOPPING=1' "$scratch/notified"
unset NOTIFY_SOCKET
start_agent agent

## stopped as asked

stop_agent agent TERM
tap_is "an agent that is told to end ends with 0" "$agent_status" 0
tap_is "the limits stay on" "$(field '.interfaces[0].attach')" native
start_agent agent
stop_agent agent INT
tap_is "also on Ctrl-C" "$agent_status" 0
tap_like "and it says that the limits stay on and how to take them off" "$(agent_log agent)" 'weir detach'

## told to reload while it reads its policy

seq 0 599999 | awk '{ printf "10.%d.%d.%d\n", $1 / 65536, $1 / 256 % 256, $1 % 256 }' >"$scratch/long.txt"
sed "s#^interfaces:#never_limit: [\"file: $scratch/long.txt\"]\n&#" "$scratch/agent.yaml" >"$scratch/early.yaml"
runs() { [[ $(<"/proc/$spawned/comm") == weir ]]; }
spawn host "$scratch/early.log" "$scratch/early.log" "$WEIR" run -c "$scratch/early.yaml"
wait_for 5 runs
wait_for 1 is_past $((${EPOCHREALTIME/./} + 150000))
tap_that "it is at that" "$(grep -c ready "$scratch/early.log" || :) == 0" "$(<"$scratch/early.log")"
kill -HUP "$spawned"
tap_run "an agent that is told to reload too early starts all the same" wait_for 20 grep -q 'notice: ready' "$scratch/early.log"
tap_run "and reloads then" wait_for 20 grep -q 'policy file is taken' "$scratch/early.log"
kill -TERM "$spawned" || :
wait_for 10 ended "$spawned"

tap_run "weir detach takes them off" weir detach
tap_is "nothing is attached then" "$(program_id host w0)" 0
tap_empty "nothing is pinned" "$(find "/sys/fs/bpf/$world-agent" 2>/dev/null || :)"
count_start --list 2000
send --src 10.9.0.9 --dst $sink4 --count 1000
count_stop
tap_is "and packets pass" "$(arrived all)" 1000

tap_done
