package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// schemaVersion is in the file's user_version. A file of another version is built anew.
const schemaVersion = 1

// The index knows where a record is and what one may search for; the record itself is read from its segment. place
// holds the one row that says how far the log is indexed: the last record that is.
const schema = `
CREATE TABLE records (
	seq INTEGER PRIMARY KEY,
	time INTEGER NOT NULL, -- nanoseconds since 1970
	event_type TEXT NOT NULL, agent TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
	outcome TEXT NOT NULL, run TEXT NOT NULL, call_id TEXT NOT NULL,
	segment TEXT NOT NULL, offset INTEGER NOT NULL, size INTEGER NOT NULL
);
CREATE INDEX by_time ON records (time);
CREATE INDEX by_agent ON records (agent) WHERE agent != '';
CREATE INDEX by_server ON records (server) WHERE server != '';
CREATE INDEX by_run ON records (run) WHERE run != '';
CREATE INDEX by_call ON records (call_id) WHERE call_id != '';
CREATE TABLE place (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	seq INTEGER NOT NULL,
	segment TEXT NOT NULL, offset INTEGER NOT NULL, size INTEGER NOT NULL,
	hash TEXT NOT NULL
);`

// openDatabase opens an index that is there.
func openDatabase(dir string) (*sql.DB, error) {
	if _, err := os.Stat(databasePath(dir)); err != nil {
		return nil, err
	}
	db, err := connect(dir)
	if err != nil {
		return nil, err
	}
	var version int
	err = db.QueryRow("PRAGMA user_version").Scan(&version)
	if err == nil && version != schemaVersion {
		err = fmt.Errorf("%w: version %d instead of %d", errMisplaced, version, schemaVersion)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// newDatabase makes an empty index in the place of any that is there.
func newDatabase(dir string) (*sql.DB, error) {
	path := databasePath(dir)
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	// SQLite gives its other files the mode of this one.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := connect(dir)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// connect uses a write-ahead log, so that List and the writer do not wait for each other. A power cut may take the last
// transactions, but they are only an index.
func connect(dir string) (*sql.DB, error) {
	// Opaque, because SQLite takes the part after file:// for a host.
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: databasePath(dir)}).EscapedPath()}
	dsn.RawQuery = url.Values{"_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)",
	}}.Encode()
	return sql.Open("sqlite", dsn.String())
}

// rebuildable reports whether a new index would help.
func rebuildable(err error) bool {
	if errors.Is(err, errMisplaced) || errors.Is(err, fs.ErrNotExist) {
		return true
	}
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return false
	}
	switch fault.Code() & 0xff { // without the extended part
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR:
		// The last three are what a file is good for that was removed or replaced under an open database.
		return true
	}
	return false
}
