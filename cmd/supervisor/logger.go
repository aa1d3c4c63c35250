package main

import (
	"log/slog"
	"math"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// never is a level that no record has.
const never = slog.Level(math.MaxInt)

// logger writes to stderr, at --log-level and in --log-format. It adds no stacks of the code that logs: a crash carries
// its own.
func (a *app) logger() (*slog.Logger, error) {
	level, err := zapcore.ParseLevel(a.logLevel)
	if err != nil {
		return nil, usage("--log-level %q: use debug, info, warn or error", a.logLevel)
	}
	settings := zap.NewProductionEncoderConfig()
	settings.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	var encoder zapcore.Encoder
	switch a.logFormat {
	case "json":
		encoder = zapcore.NewJSONEncoder(settings)
	case "console":
		settings.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(settings)
	default:
		return nil, usage("--log-format %q: use console or json", a.logFormat)
	}
	core := zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(a.err)), level)
	return slog.New(zapslog.NewHandler(core, zapslog.AddStacktraceAt(never))), nil
}
