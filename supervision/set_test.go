package supervision

import "testing"

func TestDependencies(t *testing.T) {
	scripts(t, map[string]string{
		"what a child needs comes up before it": `
			child web after app
			child app after db
			child db
			needed web -> await web for app, await app for db, open db
			up db      -> open app
			up app     -> open web`,
		"the reason to wait is told once": `
			child a
			child b
			child c after a b
			needed c -> open a, open b, await c for a
			slow b   ->
			up a     -> await c for b
			up b     -> open c`,
		"one that failed, rests or is held blocks nobody": `
			child a
			child b transient
			child c
			child d after a b c
			stop c     -> hold c
			needed d   -> open a, open b, await d for a
			hopeless a -> fail a, await d for b
			ended b    -> rest b, open d`,
		"a dependent is not restarted": `
			child a
			child b after a
			needed b  -> open a, await b for a
			up a      -> open b
			up b      ->
			crashed a -> open a!
			phases b=up`,
		"a dependent waits while what it needs has its delay": `
			child a slowly
			child b after a
			needed b  -> open a, await b for a
			crashed a -> wait a 1s!
			1s due a  -> open a
			up a      -> open b`,
		"a dependent waits for what goes down to come back": `
			child a
			child b after a
			needed a  -> open a
			up a      ->
			restart a -> close a
			needed b  -> await b for a
			ended a   -> open a
			up a      -> open b`,
		"a dependent does not wait for what goes down for good": `
			child a
			child b after a
			needed a  -> open a
			up a      ->
			stop a    -> close a
			needed b  -> open b`,
		"what others need is not idle": `
			child a
			child b after a
			needed b -> open a, await b for a
			up a     -> open b
			idle a   ->
			up b     ->
			idle a   ->
			idle b   -> close b
			ended b  -> rest b
			idle a   -> close a`,
		"what goes to rest comes back for a dependent": `
			child a
			child b after a
			needed a -> open a
			up a     ->
			idle a   -> close a
			needed b -> await b for a
			ended a  -> open a`,
		"dependents go down first": `
			child a
			child b after a
			needed b -> open a, await b for a
			up a     -> open b
			up b     ->
			stop b   -> close b
			stop a   ->
			ended b  -> hold b, close a
			ended a  -> hold a`,
		"what is not declared is not waited for": `
			child a after nobody
			needed a -> open a`,
	})
}

func TestChildrenThatWaitForEachOtherWaitForEver(t *testing.T) {
	s := declare("a<b b<c c<a")
	actions, h := Decide(s, History{}, Event{Child: "a", Kind: Needed}, t0, 0)
	if got := tell(actions); got != "await a for b, await b for c, await c for a" {
		t.Error(got)
	}
	actions, _ = Decide(s, h, Event{Child: "b", Kind: Needed}, t0, 0)
	if len(actions) > 0 {
		t.Error(tell(actions))
	}
}

func TestPlaces(t *testing.T) {
	scripts(t, map[string]string{
		"starts at the same time are bounded, first come first served": `
			max_starts 2
			child a
			child b
			child c
			child d
			needed d  -> open d
			needed b  -> open b
			needed c  -> await c
			needed a  -> await a
			up d      -> open c
			crashed b -> open a, await b!
			up c      -> open b`,
		"children that are needed together come in the order of their declaration": `
			max_starts 1
			child a
			child b
			child c after b a
			needed c -> open a, await b, await c for b
			up a     -> open b
			up b     -> open c`,
		"a slow start gives its place back": `
			max_starts 1
			child a
			child b
			needed a -> open a
			needed b -> await b
			slow a   -> open b
			slow a   ->
			up b     ->
			up a     ->`,
		"a start is slow by itself; the next one takes a place again": `
			max_starts 1
			child a
			child b
			needed a  -> open a
			slow a    ->
			crashed a -> open a!
			needed b  -> await b`,
		"what is elsewhere takes no place": `
			max_starts 1
			child a
			child b remote
			needed a -> open a
			needed b -> open b`,
		"a start that is stopped gives its place back": `
			max_starts 1
			child a
			child b
			needed a -> open a
			needed b -> await b
			stop a   -> close a, open b`,
		"who is blocked leaves the place to others": `
			max_starts 1
			child a slowly
			child b after a
			child c
			needed b  -> open a, await b for a
			crashed a -> wait a 1s!
			needed c  -> open c
			1s due a  -> await a
			up c      -> open a`,
	})
}

func TestOneForOne(t *testing.T) {
	scripts(t, map[string]string{
		"members share a budget and nothing else": `
			child a
			child b
			group g one_for_one a b max 2
			needed a  -> open a
			needed b  -> open b
			up a      ->
			up b      ->
			crashed a -> open a!
			crashed b -> open b!
			crashed a -> fail a 5m0s
			used a=1 b=1 g=2
			phases b=starting
			5m due a  -> open a
			up a      ->
			crashed a -> wait a 250ms!`,
		"a member over the group's budget fails like one over its own": `
			child a
			group g one_for_one a max 0
			needed a  -> open a
			crashed a -> fail a 5m0s
			5m due a  -> open a
			crashed a -> fail a 5m0s
			used a=0 g=0`,
		"a clean end costs the group nothing": `
			child a transient
			group g one_for_one a max 0
			needed a -> open a
			ended a  -> rest a`,
	})
}

func TestOneForAll(t *testing.T) {
	group := `
			child a
			child b
			child c
			group g one_for_all a b c
			needed b -> open a, await b for a, await c for b
			up a     -> open b
			up b     -> open c
			up c     ->`
	scripts(t, map[string]string{
		"all go down, the last first, and come up in order": group + `
			crashed b -> close c for b, await b for a!
			ended c   -> close a for b, await c for b
			ended a   -> open a
			up a      -> open b
			up b      -> open c
			used a=0 b=1 c=0 g=1`,
		"bystanders are not charged, whatever they do": group + `
			crashed a  -> close c for a, await a for b!
			crashed b  -> await a for c, await b for a
			hopeless c -> open a, await c for b
			used a=1 b=0 c=0 g=1`,
		"the delay of who failed runs meanwhile": group + `
			busy a   -> wait a 7s!, close c for a
			ended c  -> close b for a, await c for b
			ended b  -> await b for a
			7s due a -> open a
			up a     -> open b`,
		"a delay over before the closers are gone": group + `
			busy a   -> wait a 7s!, close c for a
			7s due a -> await a for b
			ended c  -> close b for a, await c for b
			ended b  -> open a, await b for a`,
		"a clean end of a transient is no failure": `
			child a transient
			child b
			group g one_for_all a b
			needed a -> open a, await b for a
			up a     -> open b
			up b     ->
			ended a  -> rest a
			phases b=up`,
		"a temporary bystander rests": `
			child a
			child b temporary
			group g one_for_all a b
			needed a  -> open a, await b for a
			up a      -> open b
			up b      ->
			crashed a -> close b for a, await a for b!
			ended b   -> rest b, open a
			up a      ->`,
		"who failed takes all down, and they come back with it": group + `
			hopeless b -> fail b, close c for b
			ended c    -> fail c for b, close a for b
			ended a    -> fail a for b
			needed a   ->
			due a      ->
			start b    -> open b
			up b       -> open a, await c for a
			up a       -> open c`,
		"a bystander that was given up is not failed by itself": group + `
			denied a  -> fail a 5m0s, close c for a
			ended c   -> fail c for a, close b for a
			ended b   -> fail b for a
			5m due a  -> open a
			up a      -> open b, await c for b
			crashed b -> close a for b, await b for a!
			used b=1`,
		"a probe that rests lets the others come back": `
			child a temporary
			child b
			group g one_for_all a b
			needed a  -> open a, await b for a
			up a      -> open b
			denied a  -> fail a 5m0s, close b for a
			ended b   -> fail b for a
			5m due a  -> open a
			crashed a -> rest a, open b`,
		"those that wait are given up at once": `
			child a
			child b
			child c
			group g one_for_all a b c
			needed c   -> open a, await b for a, await c for b
			hopeless a -> fail a, fail b for a, fail c for a`,
		"over the group's budget it takes all down": `
			child a
			child b
			group g one_for_all a b max 1
			needed a  -> open a, await b for a
			up a      -> open b
			crashed b -> close a for b, await b for a!
			ended a   -> open a
			crashed a -> fail a 5m0s, fail b for a
			used a=0 b=1 g=1`,
		"a stop by hand is for one": group + `
			stop a  -> close a
			ended a -> hold a
			phases b=up c=up`,
		"one held meanwhile stays so": group + `
			crashed c -> close b for c, await c for b!
			stop a    ->
			ended b   -> close a, await b for a
			ended a   -> hold a, open b
			up b      -> open c`,
	})
}

func TestRestForOne(t *testing.T) {
	group := `
			child a slowly
			child b slowly
			child c slowly
			group g rest_for_one a b c
			needed c -> open a, await b for a, await c for b
			up a     -> open b
			up b     -> open c
			up c     ->`
	scripts(t, map[string]string{
		"earlier members are needed, later ones are not": `
			child a
			child b
			child c
			group g rest_for_one a b c
			needed b -> open a, await b for a
			phases c=resting`,
		"those after it go down, the last first, and come up in order": group + `
			crashed a -> wait a 1s!, close c for a
			ended c   -> close b for a, await c for b
			1s due a  -> await a for b
			ended b   -> open a, await b for a
			up a      -> open b
			up b      -> open c
			used a=1 b=0 c=0 g=1`,
		"those before it stay": group + `
			crashed b -> wait b 1s!, close c for b
			phases a=up
			ended c   -> await c for b
			1s due b  -> open b
			up b      -> open c`,
		"the last one is alone": group + `
			crashed c -> wait c 1s!
			phases a=up b=up`,
		"one that waits for its delay comes up in order instead": group + `
			crashed b -> wait b 1s!, close c for b
			crashed a -> wait a 1s!, await b for a
			ended c   -> await c for b
			1s due a  -> open a
			due b     ->
			up a      -> open b
			used a=1 b=1 g=2`,
		"one that starts goes down as well": group + `
			crashed a -> wait a 1s!, close c for a
			ended c   -> close b for a, await c for b
			ended b   -> await b for a
			1s due a  -> open a
			up a      -> open b
			up b      -> open c
			crashed b -> wait b 1s!, close c for b`,
		"one that failed takes those after it down": group + `
			hopeless b -> fail b, close c for b
			ended c    -> fail c for b
			phases a=up
			changed b  -> open b
			up b       -> open c`,
		"who goes down to come back is given up with the one before it": group + `
			crashed b  -> wait b 1s!, close c for b
			hopeless a -> fail a, fail b for a
			ended c    -> fail c for a
			start a    -> open a
			up a       -> open b, await c for b`,
		"who goes down to rest, rests": group + `
			idle c     -> close c
			hopeless a -> fail a
			ended c    -> rest c, close b for a
			ended b    -> fail b for a`,
		"one that failed by itself waits for its own cure": group + `
			hopeless b -> fail b, close c for b
			ended c    -> fail c for b
			crashed a  -> wait a 1s!
			1s due a   -> open a
			up a       ->
			start b    -> open b
			up b       -> open c`,
		"of a part that is needed only the part is restarted": `
			child a
			child b
			child c
			group g rest_for_one a b c
			needed b  -> open a, await b for a
			up a      -> open b
			up b      ->
			crashed a -> close b for a, await a for b!
			ended b   -> open a, await b for a
			phases c=resting`,
		"members whose own dependency restarts go on": `
			child db
			child a after db
			child b
			group g rest_for_one a b
			needed b   -> open db, await a for db, await b for a
			up db      -> open a
			up a       -> open b
			up b       ->
			crashed db -> open db!
			phases a=up b=up`,
	})
}
