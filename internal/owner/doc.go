// Package owner lets one process at a time own a workspace.
//
// The owner is the process that holds a flock on the lock file in the workspace's state folder. The kernel gives the
// lock back when the process ends, however it ends, so there is never a stale lock to clean up. Beside the lock lies
// owner.json, which tells everybody else where the owner listens; it is only a note, and the lock alone decides.
//
// Concurrency: an Owner is safe for concurrent use. A flock belongs to an open file, not to a process, so that two
// Acquire in one process exclude each other just as two processes do.
package owner
