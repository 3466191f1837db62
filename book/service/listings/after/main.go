package main

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

// ANCHOR: client
// A client sends one kind of request again and again, without a network: it
// calls the handler and drops the response. It allocates nothing itself.
type client struct {
	request *http.Request
	body    *bytes.Reader
	header  http.Header // of the response
	status  int
	out     io.Writer // gets the body of the response
}

func (c *client) send(h http.Handler) {
	c.body.Seek(0, io.SeekStart)
	clear(c.header)
	c.status = http.StatusOK
	h.ServeHTTP(c, c.request)
}

// ANCHOR_END: client

func (c *client) Header() http.Header         { return c.header }
func (c *client) WriteHeader(status int)      { c.status = status }
func (c *client) Write(p []byte) (int, error) { return c.out.Write(p) }

func newClient(method, target, body string, header ...string) *client {
	b := bytes.NewReader([]byte(body))
	r, err := http.NewRequestWithContext(context.Background(), method, target, nil)
	if err != nil {
		log.Fatal(err)
	}
	r.Body = io.NopCloser(b)
	r.Header.Set("X-User", "clerk-7")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return &client{request: r, body: b, header: http.Header{}, out: io.Discard}
}

// ANCHOR: load
// The load has as many requests of each kind.
func createClient() *client {
	return newClient("POST", "/parcels", `{
	"id": "RB000004711",
	"name": "Ada Lindqvist",
	"town": "Lund",
	"grams": 1250,
	"note": "Leave it with the neighbor on the left."
}`, "Content-Type", "application/json")
}

func showClient() *client {
	return newClient("GET", "/parcels/RB000000042", "", "Accept-Encoding", "gzip")
}

func searchClient() *client {
	return newClient("GET", "/search?q=LIND%20grams%3E500&town=Lund&limit=20", "",
		"Accept-Encoding", "gzip")
}

// ANCHOR_END: load

// depot returns a database of parcels to three towns.
func depot() *database {
	d := newDatabase()
	names := []string{"Ada Lindqvist", "Erik Berg", "Maja Lindgren", "Olof Ek", "Sara Holm"}
	towns := []string{"Lund", "Malmö", "Ystad"}
	db := sql.OpenDB(d)
	defer db.Close()
	parcels := newStore(db)
	for i := range 45 {
		p := parcel{
			ID: fmt.Sprintf("RB%09d", i), Name: names[i%len(names)], Town: towns[i%len(towns)],
			Grams: 200 + i*37%2000,
		}
		if err := parcels.insert(context.Background(), p); err != nil {
			log.Fatal(err)
		}
		at := time.Date(2026, 11, 2, 7, i%60, 0, 0, time.UTC)
		for n, place := range []string{"Göteborg", "Helsingborg", p.Town} {
			d.add(p.ID, at.Add(time.Duration(n)*5*time.Hour), place, int64(n))
		}
	}
	return d
}

// newTestService returns the service over a depot, with a log that is dropped.
func newTestService() http.Handler {
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	return newService(sql.OpenDB(depot()), log)
}

func main() {
	length := flag.Duration("for", 3*time.Second, "how long to send requests")
	cpu := flag.String("cpuprofile", "cpu.out", "file for the CPU profile")
	mem := flag.String("memprofile", "mem.out", "file for the memory profile")
	flag.Parse()
	if err := run(*length, *cpu, *mem); err != nil {
		log.Fatal(err)
	}
}

func run(length time.Duration, cpu, mem string) error {
	h := newTestService()
	clients := []*client{createClient(), showClient(), searchClient()}
	profile, err := os.Create(cpu)
	if err != nil {
		return err
	}
	defer profile.Close()
	if err := pprof.StartCPUProfile(profile); err != nil {
		return err
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	requests := 0
	began := time.Now()
	for time.Since(began) < length {
		for _, c := range clients {
			c.send(h)
			if c.status >= 400 {
				return fmt.Errorf("%s %s: status %d", c.request.Method, c.request.URL, c.status)
			}
			requests++
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	pprof.StopCPUProfile()
	fmt.Printf("%d requests, %.0f a second\n", requests, float64(requests)/took.Seconds())
	fmt.Printf("%d allocations and %d bytes a request, %d collections\n",
		(after.Mallocs-before.Mallocs)/uint64(requests),
		(after.TotalAlloc-before.TotalAlloc)/uint64(requests), after.NumGC-before.NumGC)

	heap, err := os.Create(mem)
	if err != nil {
		return err
	}
	defer heap.Close()
	return pprof.Lookup("allocs").WriteTo(heap, 0)
}
