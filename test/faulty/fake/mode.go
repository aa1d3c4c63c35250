package fake

import (
	"net/http"
	"slices"
)

// hook surrounds what the server does with one message; next does it.
type hook func(s *server, m *message, next func())

// mode is one way to misbehave. Hooks it does not have are nil; those of several modes nest, the first one outermost.
type mode struct {
	name, about string
	numbers     numbers // defaults
	// start runs before anything is read.
	start func(s *server)
	// on has a hook by method; "*" is all requests and notifications.
	on map[string]hook
	// handshake changes the result of initialize.
	handshake func(s *server, result fields)
	// tools changes the list of tools.
	tools func(s *server, list []listed) []listed
	// result changes the result, a JSON text, of tools/call.
	result func(s *server, m *message, result string) string
	// answer makes the message that answers m with a result.
	answer func(s *server, m *message, result string) string
	// frame changes what is written for one message: its text and a newline.
	frame func(text string) string
	// ended runs when stdin has ended; the process exits with code 0 afterwards.
	ended func(s *server)
	// web surrounds what is done with one HTTP request; next does it.
	web func(x *exchange, next func())
	// deaf: SIGTERM, SIGINT and SIGHUP have no effect.
	deaf bool
}

// fields is a JSON object.
type fields map[string]any

// catalogue makes all modes, each with a state of its own, in the order they are documented in.
func catalogue() []mode {
	return slices.Concat(
		[]mode{{name: "ok", about: "behaves well"}},
		exitModes(), crashModes(), deafModes(), launcherModes(), slowModes(), stderrModes(),
		frameModes(), byteModes(), sizeModes(), orderModes(), envelopeModes(), errorModes(),
		handshakeModes(), pingModes(), askModes(), progressModes(),
		listModes(), changeModes(), weirdModes(), contentModes(), argumentModes(),
		sessionModes(), headerModes(), getModes(), authModes(), legacyModes(), routeModes(),
		cutModes(), waitModes(), largeModes(), typeModes(), statusModes(), notifyModes(),
	)
}

// onCall is a mode's hooks when only tools/call has one.
func onCall(h hook) map[string]hook { return map[string]hook{"tools/call": h} }

// onPost is a mode's HTTP hook for POSTs of one method; "*" is all.
func onPost(method string, h func(x *exchange, next func())) func(*exchange, func()) {
	return func(x *exchange, next func()) {
		if x.r.Method == http.MethodPost && (method == "*" || x.m.Method == method) {
			h(x, next)
			return
		}
		next()
	}
}

// onGet is a mode's HTTP hook for GETs.
func onGet(h func(x *exchange, next func())) func(*exchange, func()) {
	return func(x *exchange, next func()) {
		if x.r.Method == http.MethodGet {
			h(x, next)
			return
		}
		next()
	}
}

// onInit is a mode's hooks when only initialize has one.
func onInit(h hook) map[string]hook { return map[string]hook{"initialize": h} }
