// Package messages holds what crosses an actor boundary: commands, replies and events.
//
// Messages are immutable values. They carry no context, channel, function or error value, so that every one of them
// could cross a network; a deadline is a time, and a cancellation is a message of its own. What an actor sends to itself
// stays unexported beside that actor.
package messages
