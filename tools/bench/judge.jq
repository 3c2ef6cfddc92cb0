# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# From what weir-bench measured to one object with the targets judged. $machine is an object, $micro and
# $net are what the two parts printed, each in an array; $net[0] may be null.

def row(key): $micro[0].rows[] | select(.key == key) | .ns;
def lane(key): $net[0].lanes[] | select(.key == key);
def round1: . * 10 | round / 10;
def round2: . * 100 | round / 100;

# measured, and whether that is at most, or at least, what is wanted
def at_most(name; wanted; unit; why):
	{name: name, wanted: "at most \(wanted) \(unit)", measured: ., met: (. <= wanted)}
	+ if . <= wanted then {} else {limited_by: why} end;
def at_least(name; wanted; unit; why):
	{name: name, wanted: "at least \(wanted) \(unit)", measured: ., met: (. >= wanted)}
	+ if . >= wanted then {} else {limited_by: why} end;

# A call of a kernel function that does next to nothing, beside the same thing without the call.
(row("parse_coarse").one - row("parse_tick").one | round1) as $call_ns
# What any limiter pays that keeps one word for each source in a table of this size.
| (row("line_swap")."16m" - row("parse")."16m" | round1) as $swap_ns
| (row("weir-256ki").one - row("line_read").one | round1) as $way_ns
| "the way itself: \($way_ns) ns of instructions beyond parsing and reading a line (in cache here); no call is in it"
	as $instructions
| "memory and the way: reading and swapping one word of 2 MiB alone takes \($swap_ns) ns, the way \($way_ns) ns"
	as $memory
| "what it is beside: a frame that is parsed and dropped costs little, so each ns of the limiter shows" as $floor

| [
	(row("weir-256ki").one - row("parse").one | round1
		| at_most("one source over a node limit, above parse only"; 10; "ns"; $instructions)),
	(row("weir-256ki")."16m" - row("parse")."16m" | round1
		| at_most("spoofed flood, 256 Ki buckets, above parse only"; 45; "ns"; $memory)),
	(row("weir-256ki").saturated / row("weir-256ki")."16m" | round2
		| at_most("the same flood, table saturated, by not saturated"; 1.1; "times";
			"what comes on top for a newcomer: the counts of refusals and the memory of who came back, a random line of 256 KiB")),
	(row("lru_limit")."16m" / row("weir-256ki")."16m" | round1
		| at_least("spoofed flood, an LRU hash by weir"; 10; "times"; $memory)),
	($micro[0].load_ms
		| at_most("64 limits and 100,000 prefixes, from text to force"; 1000; "ms";
			"inserting each prefix into a trie of the kernel's, one system call for many")),
	if $net[0] then
		(lane("parse").one.ns / lane("weir-256ki").one.ns | round2
			| at_least("veth, one source: CPU of parse and drop, by weir's"; 0.8; ""; $floor)),
		(lane("parse")."16m".ns / lane("weir-256ki")."16m".ns | round2
			| at_least("veth, spoofed: CPU of parse and drop, by weir's"; 0.7; ""; $floor)),
		(("nft-ingress", "nft-prerouting", "hashlimit") as $peer
			| (lane("weir-256ki").one.ns / lane($peer).one.ns | round2
				| at_most("veth, one source: CPU of weir, by that of \($peer)"; 0.33; ""; $instructions)),
			(lane("weir-256ki")."16m".ns / lane($peer)."16m".ns | round2
				| at_most("veth, spoofed: CPU of weir, by that of \($peer)"; 0.25; ""; $memory)))
	else empty end
] as $targets
| {$machine, micro: $micro[0], net: $net[0], call_ns: $call_ns, $targets}
