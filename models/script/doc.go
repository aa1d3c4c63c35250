// Package script is a deterministic model: it plays a list of turns. Examples, demos and tests run on it without a key
// and without a network.
//
//	model:
//	  provider: script
//	  options:
//	    turns:
//	      - calls:
//	          - {tool: greet, arguments: {audience: "{{ .Input }}"}}
//	      - text: "The server said: {{ index .Results 0 }}"
//
// A turn is either calls, made at the same time, or text, the final answer. When the last turn has calls, the answer is
// the text of their results. A turn may have a cost_usd, so that limits can be tried without a model that costs anything.
//
// # Templates
//
// tool, text and every string inside arguments are Go templates (text/template); a missing key is an error. arguments
// may be one template that gives a JSON object. A template gives text, so "{{ 5 }}" stays a string, while `n: 5` stays
// a number. Templates see:
//
//	.Input    the task
//	.Results  the results of all calls so far, in the order of calls; printed, their texts, one a line
//	.Last     the results of the turn before
//
// A result has .Tool, .Text, .Outcome, .OK and .JSON (its structured content, or its text decoded when that is JSON;
// whole numbers are integers, other numbers keep their digits); printed, it is its text. Beside the built-in functions there are json, trim, upper, lower, split and join.
//
// # Failure
//
// [New] reports all faults of a script at once. A template that fails while it runs, or gives more than [MaxOutput]
// bytes, ends the run with an error that names the turn and field.
//
// # Concurrency
//
// A model keeps no state: where it is in the script is the number of turns in the request. It is safe for concurrent use.
package script
