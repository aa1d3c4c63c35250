package supervision

import "testing"

func TestOneChild(t *testing.T) {
	scripts(t, map[string]string{
		"it starts when it is needed, and once": `
			child a
			needed a -> open a
			needed a ->
			up a     ->
			needed a ->
			phases a=up`,
		"it restarts at once, and then after growing delays": `
			child a
			needed a  -> open a
			up a      ->
			crashed a -> open a!
			crashed a -> wait a 250ms!
			due a     -> open a
			crashed a -> wait a 500ms!
			used a=3`,
		"a restart that waits its first delay": `
			child a slowly
			needed a  -> open a
			crashed a -> wait a 1s!
			phases a=delayed
			1s due a  -> open a`,
		"it may ask to be left alone": `
			child a
			needed a -> open a
			busy a   -> wait a 7s!`,
		"over its budget it fails, and is probed once after the cooldown": `
			child a max 1
			needed a      -> open a
			crashed a     -> open a!
			crashed a     -> fail a 5m0s
			needed a      ->
			phases a=failed
			5m due a      -> open a
			crashed a     -> fail a 5m0s
			5m due a      -> open a
			up a          ->
			1m crashed a  -> open a!`,
		"what a start cannot cure is not probed": `
			child a
			needed a   -> open a
			hopeless a -> fail a`,
		"who is refused is tried again after the cooldown": `
			child a
			needed a    -> open a
			denied a    -> fail a 5m0s
			5m due a    -> open a`,
		"a transient one rests after a clean end": `
			child a transient
			needed a  -> open a
			up a      ->
			crashed a -> open a!
			up a      ->
			ended a   -> rest a
			needed a  -> open a`,
		"a temporary one rests after any end": `
			child a temporary
			needed a  -> open a
			crashed a -> rest a
			needed a  -> open a`,
		"an idle one rests until it is needed": `
			child a
			idle a   ->
			needed a -> open a
			idle a   ->
			up a     ->
			idle a   -> close a
			phases a=closing
			ended a  -> rest a
			needed a -> open a`,
		"one that is needed while it goes to rest comes back": `
			child a
			needed a -> open a
			up a     ->
			idle a   -> close a
			needed a ->
			ended a  -> open a`,
		"an end that we asked for is not charged": `
			child a
			needed a  -> open a
			up a      ->
			idle a    -> close a
			crashed a -> rest a
			used a=0`,
		"its life is over with that end, and does not end the streak later": `
			child a
			needed a     -> open a
			crashed a    -> open a!
			up a         ->
			5s idle a    -> close a
			ended a      -> rest a
			2m needed a  -> open a
			crashed a    -> wait a 250ms!`,
		"events that do not fit change nothing": `
			child a
			up a      ->
			ended a   ->
			crashed a ->
			due a     ->
			slow a    ->
			needed a  -> open a
			up a      ->
			up a      ->
			due a     ->
			phases a=up`,
		"nobody is known by that name": `
			child a
			needed x    ->
			up x        ->
			crashed x   ->
			stop x      ->
			start x     ->
			restart x   ->
			changed x   ->
			phases x=resting`,
	})
}

func TestByHand(t *testing.T) {
	scripts(t, map[string]string{
		"stopped by hand, it stays stopped": `
			child a
			needed a  -> open a
			up a      ->
			stop a    -> close a
			ended a   -> hold a
			needed a  ->
			due a     ->
			changed a ->
			stop a    -> hold a
			start a   -> open a`,
		"one that starts is stopped as well": `
			child a
			needed a -> open a
			stop a   -> close a
			up a     ->
			ended a  -> hold a`,
		"one that does not run is held at once": `
			child a
			stop a -> hold a
			phases a=held`,
		"one that waits for its delay is held at once": `
			child a slowly
			needed a  -> open a
			crashed a -> wait a 1s!
			stop a    -> hold a
			1s due a  ->
			phases a=held`,
		"a restart that is under way ends as a stop": `
			child a
			needed a  -> open a
			up a      ->
			restart a -> close a
			stop a    ->
			ended a   -> hold a`,
		"a stop that is under way ends as a start": `
			child a
			needed a -> open a
			up a     ->
			stop a   -> close a
			start a  ->
			ended a  -> open a`,
		"started by hand, the past is forgotten": `
			child a max 1
			needed a  -> open a
			crashed a -> open a!
			crashed a -> fail a 5m0s
			start a   -> open a
			used a=0
			crashed a -> open a!`,
		"a start by hand does not wait for the delay": `
			child a slowly
			needed a  -> open a
			crashed a -> wait a 1s!
			start a   -> open a
			used a=0`,
		"what runs need not be started": `
			child a
			start a -> open a
			start a ->
			up a    ->
			start a ->`,
		"restarted by hand, it goes down and comes up with a new past": `
			child a
			needed a  -> open a
			up a      ->
			crashed a -> open a!
			up a      ->
			restart a -> close a
			used a=0
			ended a   -> open a`,
		"one that does not run is started": `
			child a
			stop a    -> hold a
			restart a -> open a`,
		"what it needs is started first": `
			child a
			child b after a
			start b -> open a, await b for a`,
		"a hand does not touch others": `
			child a
			child b
			group g one_for_all a b
			needed a  -> open a, await b for a
			up a      -> open b
			up b      ->
			restart a -> close a
			ended a   -> open a
			up a      ->
			stop a    -> close a
			ended a   -> hold a
			phases b=up`,
		"the group's budget is forgotten with the child's": `
			child a
			group g one_for_one a max 1
			needed a  -> open a
			crashed a -> open a!
			used g=1
			crashed a -> fail a 5m0s
			start a   -> open a
			used g=0`,
	})
}

func TestReload(t *testing.T) {
	scripts(t, map[string]string{
		"a changed child that runs is replaced": `
			child a
			needed a  -> open a
			up a      ->
			crashed a -> open a!
			up a      ->
			changed a -> close a
			used a=0
			ended a   -> open a`,
		"one that starts, too": `
			child a
			needed a  -> open a
			changed a -> close a
			ended a   -> open a`,
		"one that failed is tried again": `
			child a
			needed a   -> open a
			hopeless a -> fail a
			changed a  -> open a`,
		"one that waits for its delay is tried at once": `
			child a slowly
			needed a  -> open a
			crashed a -> wait a 1s!
			changed a -> open a`,
		"one that rests, rests": `
			child a
			changed a ->
			phases a=resting`,
		"one that goes to rest, rests": `
			child a
			needed a  -> open a
			up a      ->
			idle a    -> close a
			changed a ->
			ended a   -> rest a`,
		"one that is being stopped by hand stays stopped": `
			child a
			needed a  -> open a
			up a      ->
			stop a    -> close a
			changed a ->
			ended a   -> hold a`,
		"one that waits for its turn goes on waiting": `
			child a
			child b after a
			needed b  -> open a, await b for a
			changed b ->
			up a      -> open b`,
		"a removed child that runs is closed and forgotten": `
			child a
			needed a  -> open a
			crashed a -> open a!
			removed a -> close a
			crashed a -> drop a
			used a=0`,
		"one that goes down already, goes for good": `
			child a
			needed a  -> open a
			up a      ->
			restart a -> close a
			removed a ->
			ended a   -> drop a`,
		"one that does not run is forgotten at once": `
			child a
			stop a    -> hold a
			removed a -> drop a
			phases a=resting`,
		"one that never started, too": `
			child a
			removed a -> drop a`,
		"nobody waits for a removed one": `
			child a
			child b after a
			needed b  -> open a, await b for a
			removed a -> close a, open b
			ended a   -> drop a`,
		"whom a removed one took down comes back": `
			child a
			child b
			group g rest_for_one a b
			needed b   -> open a, await b for a
			up a       -> open b
			up b       ->
			hopeless a -> fail a, close b for a
			removed a  -> drop a
			ended b    -> open b`,
		"whom it took down before comes back, too": `
			child a
			child b
			group g rest_for_one a b
			needed b   -> open a, await b for a
			up a       -> open b
			hopeless a -> fail a, close b for a
			ended b    -> fail b for a
			removed a  -> drop a, open b`,
		"one that is declared again while it goes down comes back": `
			child a
			needed a  -> open a
			up a      ->
			removed a -> close a
			child a
			changed a ->
			ended a   -> open a`,
		"the end of one that is declared no more is its drop": `
			child a
			needed a  -> open a
			undeclare a
			crashed a -> drop a
			phases a=resting`,
	})
}
