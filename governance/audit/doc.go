// Package audit is the append-only, hash-chained log of what agents did, and the index that makes it searchable.
//
// # Format
//
// The truth is in segments, files <number>-<UTC time of creation>.jsonl in one folder. A line is one record, and a
// record is always one line. Its last member is
//
//	,"hash":"<sha256>"}
//
// where the hash covers every byte of the line before that member. The member before it, prev, is the hash of the
// record before, in the same segment or in the segment before; the first record of a log has 64 zeros. Sequence numbers
// start at 1 and have no gaps. To check a record, hash the bytes as they lie there: nothing is decoded and encoded again.
//
// Every control, format or line-separating character stands as a JSON escape, so that no name, argument or error
// message can forge a record or steer a terminal. A byte that is not UTF-8 is kept as \xHH in the text, and a backslash
// in front of a text that looks like such an escape as \x5c: two different byte strings stay different.
//
// # What it proves
//
// Verify finds every change, removal, insertion and move of a record by somebody who does not recompute all hashes that
// follow. It cannot see that records are missing at the very end: for that, keep a Head elsewhere and give it to Verify.
//
// # Failure
//
// An error of Append means that the record is not in the log; what was written of it is cut off again, and a later
// Append may succeed. Open cuts off a last line that a killed writer left unfinished, keeps it in a side file and says
// so in the log (audit.recovered). A log whose segment is removed or written by somebody else meanwhile goes on in a
// new segment and says so as well.
//
// # Concurrency
//
// One writer: a Log belongs to one goroutine, and the folder to one process. Append holds no lock. The Index has a
// goroutine of its own that reads the segments behind the writer's back; its methods are safe for concurrent use, and
// one process at a time may have it open. Verify may run at any time, in any process.
package audit
