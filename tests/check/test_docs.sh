#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The documentation keeps to the program: its examples are valid, what it names is there, what is there
# it names, its links lead somewhere. tests/net/test_bpftool.sh runs the recipes.
set -euo pipefail
source "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
weir=build/weir
pages=(README.md docs/*.md)

# at_least NAME COUNT LEAST: an extractor that finds nothing would find no fault either
at_least() {
	if (($2 >= $3)); then
		tap_ok "$1"
	else
		tap_not_ok "$1" "found $2, wanted at least $3"
	fi
}

# blocks LANGUAGE PAGE...: "PAGE:LINE" and the text of each code block, a NUL behind each
blocks() {
	awk -v language="$1" '
		FNR == 1 { inside = 0 }
		/^```/ {
			if (inside && wanted)
				printf "%c", 0
			inside = !inside
			wanted = inside && $0 == "```" language
			if (wanted)
				print FILENAME ":" FNR
			next
		}
		inside && wanted' "${@:2}"
}

# said PAGE...: "PAGE:LINE TEXT" for each line of a shell block without its comment, and each code span
said() {
	awk '
		FNR == 1 { inside = 0 }
		/^```/ { inside = !inside; shell = inside && $0 == "```sh"; next }
		inside && shell { sub(/(^|[ \t])#.*/, ""); print FILENAME ":" FNR, $0; next }
		inside && /^# / { print FILENAME ":" FNR, substr($0, 3) }
		inside { next }
		{
			n = split($0, part, "`")
			for (i = 2; i < n; i += 2)
				print FILENAME ":" FNR, part[i]
		}' "$@"
}

## Examples

examples=0
while IFS= read -r -d '' block; do
	place=${block%%$'\n'*}
	text=${block#*$'\n'}
	[[ $text == '# complete'* ]] || continue
	examples=$((examples + 1))
	printf '%s' "$text" >"$scratch/policy.yaml"
	tap_run "the policy at $place is valid" "$weir" check "$scratch/policy.yaml"
done < <(blocks yaml "${pages[@]}")
at_least "there are complete policies" "$examples" 6
at_least "one of them is in the README" "$(blocks yaml README.md | grep -ac '^# complete')" 1

## Commands

mapfile -t commands < <("$weir" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p')
for command in "${commands[@]}"; do
	"$weir" "$command" --help >"$scratch/help.$command"
done
"$weir" --help >"$scratch/help."

# weir_calls: "PLACE WORD OPTION..." for each `weir WORD ...` that the pages name
weir_calls() {
	said "${pages[@]}" | awk '{
		place = $1
		$1 = ""
		n = split($0, part, /[|;&()"]/)
		for (i = 1; i <= n; i++) {
			count = split(part[i], word, /[ \t]+/)
			for (k = 1; k <= count && word[k] !~ /^(build\/)?weir$/; k++)
				;
			if (k >= count)
				continue
			line = place " " word[++k]
			for (k++; k <= count; k++)
				if (word[k] ~ /^--?[a-z]/)
					line = line " " word[k]
			print line
		}
	}'
}

calls=$(weir_calls)
at_least "the pages call weir" "$(wc -l <<<"$calls")" 30
tap_empty "each command and option of weir that the pages name is in its help" "$(
	while read -r place word options; do
		[[ $word == --* ]] && options=$word word=
		if [[ ! -e $scratch/help.$word ]]; then
			echo "$place: weir $word"
			continue
		fi
		for option in $options; do
			grep -qE "(^|[ ,])$option([ ,]|\$)" "$scratch/help.$word" || [[ $option == --help ]] ||
				echo "$place: weir $word $option"
		done
	done <<<"$calls"
)"

make -s help >"$scratch/make"
targets=$(said "${pages[@]}" | sed -nE 's/^([^ ]+) .*\bmake +([a-z][a-z-]*).*/\1 \2/p')
at_least "the pages call make" "$(wc -l <<<"$targets")" 5
tap_empty "each target of make that the pages name is in its help" "$(
	while read -r place target; do
		grep -qE "^  $target " "$scratch/make" || echo "$place: make $target"
	done <<<"$targets"
)"

## Metrics and reasons

# first_column HEADING: the names in a table of docs/metrics.md, sorted
first_column() {
	awk -v heading="## $1" '
		/^## / { here = $0 == heading }
		here && match($0, /^\| `[^`]+`/) { print substr($0, 4, RLENGTH - 4) }' docs/metrics.md | sort
}

# differences KNOWN TOLD
differences() {
	comm -23 <(echo "$1") <(echo "$2") | sed 's/$/: not in docs\/metrics.md/'
	comm -13 <(echo "$1") <(echo "$2") | sed 's/$/: not in the program/'
}

metrics=$(grep -ohE '"weir_[a-z_]+"' userspace/agent/page.c | tr -d '"' | sort -u)
at_least "the page of metrics has families" "$(wc -l <<<"$metrics")" 15
tap_empty "docs/metrics.md has every metric and no other" "$(differences "$metrics" "$(first_column Metrics)")"
tap_empty "each metric that a page names is one" "$(
	grep -noE '\bweir_[a-z_]+\b' "${pages[@]}" | while IFS=: read -r page line name; do
		grep -qx "$name" <<<"$metrics" || echo "$page:$line: $name"
	done
)"

cat >"$scratch/reasons.c" <<END
#include <stdio.h>
#include <weir/abi.h>

int main(void)
{
	for (unsigned int i = 0; i < WEIR_REASONS && *weir_reason_name(i); i++)
		printf("%s %s\n", weir_reason_name(i), weir_reason_drops(i) ? "drop" : "pass");
}
END
gcc -std=gnu17 -Iinclude -o "$scratch/reasons" "$scratch/reasons.c"
reasons=$("$scratch/reasons" | sort)
# shellcheck disable=SC2016 # Markdown has these quotes
told=$(sed -nE 's/^\| `([a-z_]+)` \| (pass|drop) \|.*/\1 \2/p' docs/metrics.md | sort)
at_least "there are reasons" "$(wc -l <<<"$reasons")" 10
tap_empty "docs/metrics.md has every reason with its verdict, and no other" "$(differences "$reasons" "$told")"

# In the tables of metrics, and where they are named as constants.
tap_empty "each constant that a page names is in include/weir" "$(
	grep -noE '\bWEIR_[A-Z_0-9]+\b' "${pages[@]}" | while IFS=: read -r page line name; do
		grep -rqw "$name" include/weir || echo "$page:$line: $name"
	done
)"

## Links

# anchors PAGE: as a reader of Markdown makes them from headings
anchors() {
	sed -nE 's/^#+ (.*)/\1/p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

links=$(grep -noE '\]\([^)]+\)' "${pages[@]}" | sed -E 's/\]\((.*)\)$/\1/')
at_least "the pages have links" "$(wc -l <<<"$links")" 15
tap_empty "each link leads somewhere" "$(
	while IFS=: read -r page line link; do
		file=${link%%#*}
		anchor=${link#"$file"}
		target=$page
		[[ ! $file ]] || target=$(dirname "$page")/$file
		if [[ $link == *://* ]] || [[ ! -e $target ]]; then
			echo "$page:$line: $link"
		elif [[ $anchor ]] && ! anchors "$target" | grep -qx -- "${anchor#\#}"; then
			echo "$page:$line: no heading for $link"
		fi
	done <<<"$links"
)"
tap_empty "the README leads to every page" "$(
	for page in docs/*.md; do
		grep -qF "($page)" README.md || echo "$page"
	done
)"

# A measurement ages; who reads it should be able to make it anew.
tap_empty "a figure of speed or cost has the command that measures it in its paragraph" "$(
	awk '
		function judge() {
			if (text ~ /[0-9] ?(ns|Mpps|Gpps)([^a-z0-9]|$)|[0-9] times (as|faster|slower|cheaper|dearer|less|more)|[0-9] (million )?packets a second/ &&
			    text !~ /`(make|weir) /)
				print place ": " substr(text, 1, 90)
			text = ""
		}
		FNR == 1 { judge(); inside = 0 }
		/^```/ { judge(); inside = !inside; next }
		inside { next }
		/^ *$/ { judge(); next }
		{ if (text == "") place = FILENAME ":" FNR; text = text " " $0 }
		END { judge() }' "${pages[@]}"
)"

tap_done
