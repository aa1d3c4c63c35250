// Package safe starts every goroutine of the project.
//
// A panic in a goroutine ends the whole process unless that goroutine recovers it. A supervisor that dies of one bad
// goroutine is no supervisor, so nothing else in the project says `go`: a test in package test forbids it.
package safe

import (
	"fmt"
	"runtime/debug"
)

// Crash is a recovered panic.
type Crash struct {
	// Where names the goroutine or actor that panicked.
	Where string
	Value any
	Stack []byte
}

func (c *Crash) Error() string { return fmt.Sprintf("%s: panic: %v", c.Where, c.Value) }

// Go runs fn in a new goroutine. A panic of fn is recovered and handed to crashed, which must not panic; where names
// the goroutine in it. crashed may be nil, if fn cannot leave anything half done: the panic is dropped then.
func Go(where string, crashed func(*Crash), fn func()) {
	go func() {
		defer func() {
			if v := recover(); v != nil && crashed != nil {
				crashed(&Crash{Where: where, Value: v, Stack: debug.Stack()})
			}
		}()
		fn()
	}()
}

// Run runs fn and returns its panic, or nil.
func Run(where string, fn func()) (crash *Crash) {
	defer func() {
		if v := recover(); v != nil {
			crash = &Crash{Where: where, Value: v, Stack: debug.Stack()}
		}
	}()
	fn()
	return nil
}

// Do runs fn and returns its error, or its panic as a *Crash error.
func Do(where string, fn func() error) (err error) {
	if crash := Run(where, func() { err = fn() }); crash != nil {
		return crash
	}
	return err
}
