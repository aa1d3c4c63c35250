package fake

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// fakeEnv makes the test binary the fake, with its command line.
const fakeEnv = "FAULTY_TEST_FAKE"

// patience bounds every wait for something that takes milliseconds when all is well.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(fakeEnv) != "" {
		os.Exit(Main(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// process is a running fake.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  *os.File
	lines  chan string  // what it wrote, each with its newline
	wrote  atomic.Int64 // bytes on stdout
	stderr *buffer
	ended  chan struct{}
	next   int // id of the next request
}

// start runs the fake with args until the end of the test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), stderr: new(buffer), lines: make(chan string, 1000), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), fakeEnv+"=1", "FAULTY_TEST_TOKEN=sk-marker-99", "FAULTY_TEST_EMPTY=")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr *os.File
	p.cmd.Stdin, p.stdin = pipe(t)
	stdout, p.cmd.Stdout = pipe(t)
	stderr, p.cmd.Stderr = pipe(t)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []any{p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr} {
		_ = theirs.(*os.File).Close()
	}
	var readers sync.WaitGroup
	readers.Add(2)
	safe.Go("stdout", nil, func() { defer readers.Done(); p.readLines(stdout) })
	safe.Go("stderr", nil, func() { defer readers.Done(); _, _ = io.Copy(p.stderr, stderr) })
	safe.Go("wait", nil, func() { _ = p.cmd.Wait(); close(p.ended) })
	t.Cleanup(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.ended
		for _, ours := range []*os.File{p.stdin, stdout, stderr} {
			_ = ours.Close()
		}
		for range p.lines { // lets the reader end
		}
		readers.Wait()
	})
	return p
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (p *process) readLines(stdout io.Reader) {
	defer close(p.lines)
	for r := bufio.NewReader(io.TeeReader(stdout, counter{&p.wrote})); ; {
		line, err := r.ReadString('\n')
		if line != "" {
			p.lines <- line
		}
		if err != nil {
			return
		}
	}
}

func (p *process) send(line string) {
	p.t.Helper()
	if _, err := p.stdin.WriteString(line + "\n"); err != nil {
		p.t.Fatalf("send: %v", err)
	}
}

// counter counts what is written to it.
type counter struct{ *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.Add(int64(len(p)))
	return len(p), nil
}

// buffer is a strings.Builder for two goroutines.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually polls until ok is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// content is a file's text; empty while there is no file.
func content(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
