package approval

import "errors"

var (
	// ErrUnknown is returned by Answer for an id that nobody gave out, or so long ago that it is forgotten.
	ErrUnknown = errors.New("there is no such approval; list those that wait")
	// ErrAnswered is returned by Answer for a request that was answered before: the first answer holds.
	ErrAnswered = errors.New("it was answered already, and the first answer holds")
	// ErrExpired is returned by Answer for a request whose time is over: the call was refused, and may be made again.
	ErrExpired = errors.New("its time is over and the call was refused; the agent has to make it again")
	// ErrWithdrawn is returned by Answer for a request whose call ended meanwhile: cancelled, or refused at shutdown.
	ErrWithdrawn = errors.New("the call does not wait any more")
	// ErrVerdict is returned by Answer for a verdict that is neither Allow nor Deny. The request stays pending.
	ErrVerdict = errors.New("the verdict must be allow or deny")

	// ErrAsked is returned by Ask for a call that is pending already: one call has one question at a time.
	ErrAsked = errors.New("the call waits for an approval already")
	// ErrFull is returned by Ask when MaxPending requests wait. The call is refused; trying later may help.
	ErrFull = errors.New("too many calls wait for an approval")
)
