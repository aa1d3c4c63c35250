// Package pins remembers tools as they were when somebody approved them, in the file tools.lock.
//
// # Purpose
//
// A server may change what a tool says of itself after people and models have come to trust it, or hide instructions in
// characters that nobody sees. A [Lock] holds one [Pin] per approved tool; [Lock.Compare] says what is new, changed or
// gone, in words a reviewer can use, and [Flags] names what a reviewer cannot see. Nothing here judges: whether a change
// is reported or refused is the caller's business.
//
// # The file
//
// tools.lock stands beside workspace.yaml and is meant to be committed. It is JSON, sorted, and one field per line, so
// that the diff of a commit shows which tool changed and in what:
//
//	{
//	  "about": "...",
//	  "version": 1,
//	  "servers": {
//	    "files": {
//	      "read": {
//	        "hash": "63c1...",
//	        "description": "Read a file of the project",
//	        "description_digest": "a21f0c1b7e90",
//	        "schema_digest": "44136fa355b3",
//	        "annotations_digest": "c5e1b2f0aa17"
//	      }
//	    }
//	  }
//	}
//
// Characters that cannot be seen are always escaped in it. The hash decides; the digests only tell what changed. Fields
// that this version does not know are kept.
//
// # Concurrency
//
// A Lock is immutable: what changes it returns another one. Everything is safe for concurrent use and pure.
package pins
