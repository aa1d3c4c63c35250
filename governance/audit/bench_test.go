package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	for name, o := range map[string]Options{"batched": {}, "sync": {Sync: true}} {
		b.Run(name, func(b *testing.B) {
			l := openLog(b, b.TempDir(), o)
			r := call("0197c3a0-0000-7000-8000-000000000000", "researcher", "files", "read_file")[0]
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Append(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	r := full()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = encode(buf[:0], &r)
	}
}

func benchmarkLog(b *testing.B, dir string, n int) (size int64) {
	b.Helper()
	l := openLog(b, dir, Options{})
	for i := range n / 2 {
		mustAppend(b, l, call(fmt.Sprintf("call-%d", i), "researcher", "files", "read_file")...)
	}
	for _, path := range segmentPaths(b, dir) {
		size += int64(len(readFile(b, path)))
	}
	return size
}

func BenchmarkVerify(b *testing.B) {
	dir := b.TempDir()
	b.SetBytes(benchmarkLog(b, dir, 100_000))
	b.ReportAllocs()
	for b.Loop() {
		if report := verify(b, dir); !report.OK() {
			b.Fatal(report.Problems)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	const records = 20_000
	dir := filepath.Join(b.TempDir(), "audit")
	benchmarkLog(b, dir, records)
	ix := openIndex(b, dir)
	for b.Loop() {
		if err := ix.Reindex(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
