# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shared with lib.sh, which sources this
#
# Traffic between the namespaces of lib.sh: send it, count what came through, compare the two. Knows
# build/net/send and build/net/count, and nothing of how an agent is run.

# asked: for how many seconds the last sender asked all the time: without the longest it was kept from
# sending, on a machine that had other things to do
asked() {
	jq '.seconds - .late_s' <<<"$sent_json"
}

# send ARGUMENT...: from p0 to w0; what it printed is in sent_json, how many it sent in sent
send() {
	sent_json=$(send_from peer p0 host w0 "$@")
	sent=$(jq .sent <<<"$sent_json")
}

# send_from SPACE DEV TO-SPACE TO-DEV ARGUMENT...
send_from() {
	in_space "$1" "$tools/send" --dev "$2" --mac "$(mac_of "$3" "$4")" "${@:5}"
}

# send_start NAME ARGUMENT...: in the background, until send_wait NAME or send_stop NAME
send_start() {
	: >"$scratch/send.$1"
	spawn peer "$scratch/send.$1" "$scratch/send.$1.err" \
		"$tools/send" --dev p0 --mac "$(mac_of host w0)" "${@:2}"
	sender_of[$1]=$spawned
}

# send_wait NAME: as after send
send_wait() {
	wait "${sender_of[$1]}" || tap_not_ok "sender $1 ended well" "$(<"$scratch/send.$1.err")"
	sent_json=$(<"$scratch/send.$1")
	sent=$(jq .sent <<<"$sent_json")
}

# send_stop NAME: now
send_stop() {
	kill -TERM "${sender_of[$1]}" 2>/dev/null || :
	send_wait "$1"
}

# odd NAME COUNT: packets that no well-behaved host sends (tool/odd has the names), from p0 to w0
odd() {
	in_peer "$root/tests/net/tool/odd" p0 "$(mac_of host w0)" $sink4 $sink6 "$@"
}

# count_start ARGUMENT...: of `count`, on w0
count_start() {
	rm -f "$scratch"/count{,.err}
	spawn host "$scratch/count" "$scratch/count.err" "$tools/count" --dev w0 "$@"
	counter=$spawned
	wait_for 10 grep -qs ready "$scratch/count.err"
}

# count_stop: what came through is in counted (JSON) from then on. What is lost by the counter itself
# would make every number wrong.
count_stop() {
	kill -TERM "$counter"
	wait "$counter"
	counted=$(<"$scratch/count")
	[[ $(jq .lost <<<"$counted") == 0 ]] || tap_not_ok "the counter kept up" "$counted"
}

# arrived SOURCE|all: packets that came through
arrived() {
	jq --arg source "$1" 'if $source == "all" then .packets
		else [.sources[] | select(.source == $source) | .packets] | add // 0 end' <<<"$counted"
}

# tap_bound NAME: no source passed more than --burst and --rate of count_start allow, over any interval
tap_bound() {
	local excess
	excess=$(jq '.excess // 0' <<<"$counted")
	tap_that "$1" "$excess <= 0" "packets above the bound: $excess" \
		"$(jq -c '.sources | sort_by(-.excess) | .[:3]' <<<"$counted")"
}

# limit_count LIMIT VERDICT: packets, by the status
limit_count() {
	status_json | jq --arg name "$1" --arg verdict "$2" \
		'.limits[] | select(.name == $name) | .[$verdict].packets'
}

# reason_count REASON [packets|bytes]: by the status
reason_count() {
	status_json | jq --arg reason "$1" --arg unit "${2:-packets}" '.reasons[$reason][$unit] // 0'
}

# Packets that went through the packet path, whatever became of them.
all_packets() {
	status_json | jq '[.reasons[].packets] | add'
}

# is_more LIMIT VERDICT COUNT: the limit counted more than that by now
is_more() {
	(($(limit_count "$1" "$2") > $3))
}
