package remote

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The examples of docs/governance-provider.md are requests that we write, or answers that we take.
func TestTheExamplesAreTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/governance-provider.md")
	if err != nil {
		t.Fatal(err)
	}
	method, requests := "", 0
	for i, block := range strings.Split(string(text), "```json\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if strings.Contains(block, `"method"`) {
			method, requests = check(t, block), requests+1
			continue
		}
		var err error
		switch {
		case strings.Contains(block, `"error"`):
			if read([]byte(block)).err == nil {
				t.Errorf("example %d: no error", i)
			}
		case method == evaluateAction:
			_, err = decision([]byte(block))
		case method == verifyIdentity:
			_, err = identity([]byte(block))
		case method == trustScore:
			_, err = trust([]byte(block))
		default:
			err = read([]byte(block)).err
		}
		if err != nil {
			t.Errorf("example %d: %v", i, err)
		}
	}
	if requests != 4 {
		t.Errorf("%d requests, want one per method", requests)
	}
}

// check reads a request as strictly as we can, sees that it says all that we would write, and returns its method.
func check(t *testing.T, block string) string {
	t.Helper()
	var r request
	dec := json.NewDecoder(strings.NewReader(block))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%v in\n%s", err, block)
	}
	written, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := compact(t, block); string(written) != want {
		t.Errorf("the page says\n%s\nand we write\n%s", want, written)
	}
	return r.Method
}
