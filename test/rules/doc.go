// Package rules checks what the compiler does not: who may import whom and why, that goroutines are started in one
// place, that every package says what it is for, and that the documents' links lead somewhere.
//
// The rules are tables, each row with its reason. A change that breaks one is either wrong or a decision: then it changes
// the row and its reason, in the same commit.
package rules
