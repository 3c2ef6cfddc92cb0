#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The policy that weir comes with: what a polite host does passes, floods do not, and nobody is locked
# out of a connection like ssh's.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

net_up 1500
policy shipped < <(sed 's/^interfaces:.*/interfaces: [w0]/' "$root/tools/weir.yaml")
start_agent shipped

cat >"$scratch/echo.py" <<'END'
import socketserver, sys, threading
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while text := self.request.recv(4096):
            self.request.sendall(text)
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024
for port in sys.argv[1:]:
    threading.Thread(target=Server(("0.0.0.0", int(port)), Echo).serve_forever).start()
END
spawn host /dev/null "$scratch/echo.err" /usr/bin/python3 "$scratch/echo.py" 22 8080
wait_for 10 listens 22
wait_for 10 listens 8080

# A session like ssh's: connects, then types a line every 50 ms and waits for its echo.
cat >"$scratch/session.py" <<'END'
import socket, sys, time
address, lines = sys.argv[1], int(sys.argv[2])
start = time.monotonic()
s = socket.create_connection((address, 22), timeout=10)
connected = time.monotonic() - start
slowest = 0
for i in range(lines):
    start = time.monotonic()
    s.sendall(b"x" * 64)
    if len(s.recv(4096)) != 64:
        sys.exit("no echo")
    slowest = max(slowest, time.monotonic() - start)
    time.sleep(0.05)
print(f"{connected:.3f} {slowest:.3f}")
END
# session NAME [LINES]: it connects at once and no line waits long
session() {
	local output status=0 connected slowest
	output=$(in_peer timeout 30 /usr/bin/python3 "$scratch/session.py" $host4 "${2:-10}" 2>&1) || status=$?
	read -r connected slowest <<<"$output"
	if ((status == 0)) && is "$connected < 0.9 && $slowest < 0.9"; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "exit status $status" "connected after and slowest line, seconds: $output"
	fi
}

# flooded LIMIT ARGUMENT...: floods until the limit refuses
flooded() {
	local limit=$1 before
	before=$(limit_count "$limit" refused)
	send_start flood --dst "$host4" --seconds 60 "${@:2}"
	wait_for 10 is_more "$limit" refused $((before + 1000)) || tap_not_ok "the limit $limit refuses the flood"
}

syn=(--proto tcp --flags 2 --dport 81 --sports 20000)
session "a session on a quiet link"
flooded ping --src $peer4 --proto icmp --rate 40000
session "a session while the same host floods ICMP"
send_stop flood
flooded connections --src $peer4 "${syn[@]}" --rate 60000
session "a session while the same host floods SYN to another port"
send_stop flood
flooded connections --src 10.1.0.1 "${syn[@]}" --rate 60000
session "a session while another host floods SYN"
send_stop flood
send_start flood --src $peer4 --dst $host4 --dport 53 --rate 60000 --seconds 60
session "a session while the same host floods UDP"
send_stop flood
send_start flood --src 13.0.0.0 --sources 16000000 --random --dst $host4 "${syn[@]}" --rate 60000 --seconds 60
session "a session while a spoofed SYN flood goes on"
send_stop flood

# A session that stands when its own host begins to flood.
spawn peer "$scratch/session" "$scratch/session" /usr/bin/python3 "$scratch/session.py" $host4 40
session=$spawned
wait_for 5 connected 22
flooded connections --src $peer4 "${syn[@]}" --rate 60000
wait "$session" && status=0 || status=$?
send_stop flood
read -r _ slowest <"$scratch/session" || slowest=99
tap_is "a session that stands survives a SYN flood of its own host" \
	"$status $(is "${slowest:-99} < 0.9" && echo quick)" "0 quick"

# shellcheck disable=SC2317 # called by wait_for
is_full_again() {
	[[ $(weir explain "$peer4" --proto tcp --port 8080 --json |
		jq '.limits[] | select(.name == "connections") | .tokens > 5000') == true ]]
}

# Polite crowds: hundreds of connections, and the fastest that a stream gets.
cat >"$scratch/crowd.py" <<'END'
import socket, sys
kept = [socket.create_connection((sys.argv[1], 8080), timeout=5) for _ in range(500)]
print(len(kept))
END
# The flood before was this host's own: its bucket fills again.
wait_for 10 is_full_again || tap_not_ok "the bucket fills again"
refused=$(limit_count connections refused)
tap_is "five hundred connections in a row from one address all stand" \
	"$(in_peer timeout 30 /usr/bin/python3 "$scratch/crowd.py" $host4 2>&1)" 500
tap_is "and none was refused" $(($(limit_count connections refused) - refused)) 0
before=$(reason_count over_limit)
spawn host /dev/null /dev/null iperf3 -s
server=$spawned
wait_for 5 listens 5201
in_peer timeout 20 iperf3 -J -c $host4 -t 2 >"$scratch/iperf" 2>&1 ||
	tap_not_ok "iperf3 ran" "$(tail -n 3 "$scratch/iperf")"
tap_is "a stream at full speed is never refused" $(($(reason_count over_limit) - before)) 0
kill "$server"

tap_done
