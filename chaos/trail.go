package chaos

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Trail is what the run's audit log says about its calls.
type Trail struct {
	Records    int64    `json:"records"`
	Intents    int      `json:"intents"`
	Outcomes   int      `json:"outcomes"`
	Unfinished int      `json:"intents_without_outcome"`
	Problems   []string `json:"problems"`
}

// readTrail verifies the chain, and counts intents and outcomes without the code that wrote them.
func readTrail(dir string) (Trail, error) {
	report, err := audit.Verify(dir)
	t := Trail{Records: report.Records, Unfinished: len(report.Unfinished), Problems: []string{}}
	for _, p := range report.Problems {
		t.Problems = append(t.Problems, p.String())
	}
	if err != nil {
		return t, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		err = errors.Join(err, t.count(file))
	}
	return t, err
}

func (t *Trail) count(file string) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := t.enter(line); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (t *Trail) enter(line []byte) error {
	var r struct {
		EventType audit.EventType  `json:"event_type"`
		CallID    string           `json:"call_id"`
		Outcome   messages.Outcome `json:"outcome"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	switch {
	case r.CallID == "":
	case r.EventType == audit.ToolIntent:
		t.Intents++
	case r.Outcome != "":
		t.Outcomes++
	}
	return nil
}
