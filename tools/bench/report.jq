# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The benchmark's JSON as text for people.

def left(width): tostring | . + " " * (width - length) // .;
def right(width): tostring | (" " * (width - length) // "") + .;
# One decimal, always written.
def figure: if . == null then "-" else . * 10 | round | "\(. / 10 | floor).\(. % 10)" end;
def signed: if . == null then "-" elif . < 0 then "-\(-. | figure)" else "+\(figure)" end;
def ratio: if . == null then "-" else . * 100 | round | "\(. / 100 | floor).\(. / 10 % 10 | floor)\(. % 10)" end;

def ns(key): .micro.rows[] | select(.key == key) | .ns;
# A table over the rows and columns of micro; cell gets {ns, parse, lru} of one cell.
def table(cell):
	. as $all
	| (ns("parse")) as $parse | (ns("lru_limit")) as $lru
	| ("" | left(32)) + ([.micro.columns[].title | right(17)] | add),
	(.micro.rows[] | . as $row
		| (.title | left(32)) + ([$all.micro.columns[].key as $key
			| if $row.ns[$key] == null then null
			  else {ns: $row.ns[$key], parse: $parse[$key], lru: $lru[$key]} end
			| cell | right(17)] | add)),
	"";

def lane_title: {
	"parse": "parse and drop", "weir-256ki": "weir, 256 Ki buckets", "weir-1mi": "weir, 1 Mi buckets",
	"lru_limit": "LRU hash", "nft-ingress": "nftables, netdev ingress", "nft-prerouting": "nftables, prerouting",
	"hashlimit": "iptables hashlimit, raw"
}[.];
def lane_table:
	(.lanes[0]) as $floor
	| ("" | left(32)) + (["one source", "64 k sources", "16 M, spoofed"] | map(right(24)) | add),
	(.lanes[] | . as $lane
		| (.key | lane_title | left(32)) + ([("one", "64k", "16m") as $key
			| "\($lane[$key].ns | figure) ns \($floor[$key].ns / $lane[$key].ns | ratio) \($lane[$key].busy * 100 | round | right(3))%"
			| right(24)] | add)),
	"";

(.machine | "machine  \(.cpu), \(.cpus) CPUs, Linux \(.kernel)",
	(.mitigations | to_entries[] | "         \(.key): \(.value)")),
"         a call of a kernel function costs a program \(.call_ns | figure) ns more than none",
"",
"One core: ns a packet, and beyond parse only. The least of \(.micro.slices) slices of \(.micro.slice_ms) ms.",
"Each source is held to 1000/s with a burst of 100; saturated: to 5/s with a burst of 4.",
"",
table(if . then "\(.ns | figure) \(.ns - .parse | signed | right(7))" else "-" end),
"As a multiple of parse only",
"",
table(if . then .ns / .parse | ratio else "-" end),
"How many times dearer the LRU hash is",
"",
table(if . then .lru / .ns | ratio else "-" end),
if .net then
	"Between interfaces (veth): CPU time of the receiver for a frame, parse and drop beside it (1.00 is the floor),",
	"how busy its CPU was. The least of \(.net.slices) slices of \(.net.slice_ms) ms.",
	"",
	(.net | lane_table)
else empty end,
"Targets",
"",
(.targets[] | "\(if .met then "met    " else "NOT MET" end)  \(.name | left(60)) \(.measured | right(6)), wanted \(.wanted)",
	if .met then empty else "         limited by \(.limited_by)" end)
