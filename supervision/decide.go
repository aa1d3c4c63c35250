package supervision

import "time"

// Decide says what to do after an event.
func Decide(s Specs, h History, e Event, now time.Time, random float64) ([]Action, History) {
	return nil, h
}

// Check says what is wrong with the specs.
func (s Specs) Check() error { return nil }

// StopLevels is the order of a stop.
func (s Specs) StopLevels() [][]string { return nil }
