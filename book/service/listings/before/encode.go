package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// ANCHOR: reply
// reply writes a response.
func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

// ANCHOR_END: reply

// fail writes a response about an error, and logs it.
func fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	logger(r.Context()).Warn("failed", "error", err)
	reply(w, status, map[string]any{"error": err.Error()})
}

// ANCHOR: compress
// compress compresses the responses to clients that understand gzip.
func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		zw := gzip.NewWriter(w)
		defer zw.Close()
		next.ServeHTTP(&gzipResponse{w, zw}, r)
	})
}

type gzipResponse struct {
	http.ResponseWriter
	zw io.Writer
}

func (g *gzipResponse) Write(p []byte) (int, error) { return g.zw.Write(p) }

// ANCHOR_END: compress
