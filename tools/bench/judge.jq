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
| "the way itself: \($way_ns) ns of instructions beyond parsing and reading a line that is in cache; no call is in it"
	as $instructions
| ("the way: \($way_ns) ns for a source that is known, then the choice among eight words for one that is not;"
	+ " memory is less (reading and swapping a word of 2 MiB: \($swap_ns) ns)") as $choice
| (if $net[0] then
	"the frame's header, which is in the sending CPU's cache: a program that decides nothing does not wait for it;"
	+ " on one source an LRU hash costs \(lane("lru_limit").one.ns - lane("parse").one.ns | round1) ns here"
	+ " and \(row("lru_limit").one - row("parse").one | round1) on one core" else "" end) as $header

| [
	(row("weir-256ki").one - row("parse").one | round1
		| at_most("one source over a node limit, above parse only"; 10; "ns"; $instructions)),
	(row("weir-256ki")."16m" - row("parse")."16m" | round1
		| at_most("spoofed flood, 256 Ki buckets, above parse only"; 45; "ns"; $choice)),
	(row("weir-256ki").saturated / row("weir-256ki")."16m" | round2
		| at_most("the same flood, table saturated, by not saturated"; 1.1; "times";
			"what a refused newcomer costs: a second random line (has it been here before), and not to know beforehand which it is")),
	(row("lru_limit")."16m" / row("weir-256ki")."16m" | round1
		| at_least("spoofed flood, an LRU hash by weir"; 10; "times"; $choice)),
	($micro[0].load_ms
		| at_most("64 limits and 100,000 prefixes, from text to force"; 1000; "ms";
			"inserting each prefix into a trie of the kernel's, one system call for many")),
	if $net[0] then
		(lane("parse").one.ns / lane("weir-256ki").one.ns | round2
			| at_least("veth, one source: CPU of parse and drop, by weir's"; 0.8; ""; $header)),
		(lane("parse")."16m".ns / lane("weir-256ki")."16m".ns | round2
			| at_least("veth, spoofed: CPU of parse and drop, by weir's"; 0.7; ""; $header)),
		(("nft-ingress", "nft-prerouting", "hashlimit") as $peer
			| (lane("weir-256ki").one.ns / lane($peer).one.ns | round2
				| at_most("veth, one source: CPU of weir, by that of \($peer)"; 0.33; ""; $instructions)),
			(lane("weir-256ki")."16m".ns / lane($peer)."16m".ns | round2
				| at_most("veth, spoofed: CPU of weir, by that of \($peer)"; 0.25; ""; $choice)))
	else empty end
] as $targets
| {$machine, micro: $micro[0], net: $net[0], call_ns: $call_ns, $targets}
