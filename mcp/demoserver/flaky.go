package demoserver

import (
	"context"
	"errors"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// crashCode is the exit code of tool crash: not 1 and not 2, which Go programs and shells end with by themselves.
const crashCode = 3

type saying struct {
	Text string `json:"text"`
}

type crash struct {
	AfterMS int64 `json:"after_ms,omitempty" jsonschema:"hold the call for so many milliseconds first"`
}

type failure struct {
	Message string `json:"message"`
}

type exit struct {
	Code int `json:"code" jsonschema:"the exit code, 0 to 255"`
}

func openFlaky(h *host, _ []string) error {
	addTool(h, sdk.Tool{Name: "echo", Description: "Says what it was given.", Annotations: reads()},
		func(_ context.Context, in saying) (string, error) { return in.Text, nil })
	addTool(h, sdk.Tool{Name: "crash", Description: "Ends the process with code 3 and never answers.", Annotations: adds()}, h.crash)
	addTool(h, sdk.Tool{Name: "hang", Description: "Never answers; it can be cancelled.", Annotations: reads()}, hang)
	addTool(h, sdk.Tool{Name: "fail", Description: "Answers with an error result.", Annotations: reads()},
		func(_ context.Context, in failure) (string, error) { return "", errors.New(in.Message) })
	addTool(h, sdk.Tool{Name: "exit", Description: "Ends the process with a code and says nothing.", Annotations: adds()}, quit)
	addTool(h, sdk.Tool{Name: "panic", Description: "Ends the process with a Go panic.", Annotations: adds()},
		func(context.Context, none) (string, error) { panic("flaky: told to panic") })
	return nil
}

func (h *host) crash(ctx context.Context, in crash) (string, error) {
	if _, err := sleep(ctx, nap{MS: in.AfterMS}); err != nil {
		return "", err
	}
	fmt.Fprintln(h.errOut, "flaky: told to crash")
	os.Exit(crashCode)
	return "", nil
}

func hang(ctx context.Context, _ none) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func quit(_ context.Context, in exit) (string, error) {
	if in.Code < 0 || in.Code > 255 {
		return "", fmt.Errorf("code is %d, and must be between 0 and 255", in.Code)
	}
	os.Exit(in.Code)
	return "", nil
}
