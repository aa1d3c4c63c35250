// Package supervision decides what to restart, when, and when to give up.
//
// It is pure: no actors, no clock, no I/O and no randomness of its own. The actors feed it events and carry its actions
// out; tables, properties and simulations drive the same code in tests. The words (permanent, transient, temporary,
// intensity, period) are Erlang/OTP's. Where we differ from OTP: there is a back-off between restarts, and a child that
// used up its budget is failed by itself instead of taking its supervisor down.
package supervision
