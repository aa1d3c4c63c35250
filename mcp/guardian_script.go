package mcp

// guardianScript is what outlives us. It reads what we tell it, line by line, until we are gone, and then kills what our
// servers left. POSIX sh, with grep, xargs and sleep.
//
// A process that carries the cookie is ours. One that does not, in a registered group or session, is ours if it was
// started before we died: the group's leader was not reaped by then, so that nobody else can have got its id. Whoever is
// there with a later start may be a stranger with a reused id.
//
// Start times count 1/100 s since the boot, as /proc/uptime does when its point is left out: Linux shows user space 100
// ticks a second on all systems that Go runs on.
//
// $1 is the name of the cookie's variable.
const guardianScript = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE USR1 USR2
instance= box= groups=
while read -r verb what; do
	case $verb in
	instance) instance=$what ;;
	box) box=$what ;;
	add) groups="$groups $what" ;;
	del)
		kept=
		for group in $groups; do
			[ "$group" = "$what" ] || kept="$kept $group"
		done
		groups=$kept
		;;
	end) exit 0 ;;
	esac
done
[ -n "$instance" ] || exit 0

if ! read -r died _ </proc/uptime; then
	for group in $groups; do
		kill -s KILL -- "-$group"
	done
	exit 0
fi
died=${died%.*}${died#*.}
cookie="$1=$instance/"
any=
for group in $groups; do
	any=$any${any:+\|}$group
done
cd /proc || exit 1

round=0 empty=0
while [ "$empty" -lt 2 ] && [ "$round" -lt 15 ]; do
	round=$((round + 1)) found=
	[ -z "$box" ] || echo 1 >"$box/cgroup.kill"
	if [ -n "$any" ]; then
		for file in $(printf '%s\n' [0-9]*/stat | xargs grep -lsE -e "\) [^ZX] [0-9]+ ([0-9]+ )?($any) "); do
			pid=${file%/stat}
			read -r line <"$file" || continue
			set -- ${line##*)}
			[ "${20}" -lt "$died" ] || continue
			found=1
			for group in $groups; do
				[ "$3" != "$group" ] || kill -s KILL -- "-$group"
			done
			kill -s KILL "$pid"
		done
	fi
	for file in $(printf '%s\n' [0-9]*/environ | xargs grep -lsF -e "$cookie"); do
		found=1
		grep -qsF -e "$cookie" "$file" && kill -s KILL "${file%/environ}"
	done
	if [ -n "$found" ]; then empty=0; else empty=$((empty + 1)); fi
	[ "$empty" -ge 2 ] || sleep 0.1 || sleep 1
done
[ -z "$box" ] || rmdir "$box"/*/ "$box"
`
