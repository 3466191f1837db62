// Command before is the HTTP service of a parcel depot, as it was first
// written, with a load generator.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
)

// ANCHOR: service
type service struct {
	store    *store
	metrics  *metrics
	log      *slog.Logger
	requests counter
}

// newService returns the service as a handler.
func newService(db *sql.DB, log *slog.Logger) http.Handler {
	s := &service{store: newStore(db), metrics: newMetrics(), log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /parcels", s.create)
	mux.HandleFunc("GET /parcels/{id}", s.show)
	mux.HandleFunc("GET /search", s.search)
	mux.HandleFunc("GET /metrics", s.metrics.show)
	return s.observe(compress(mux))
}

// ANCHOR_END: service

// ANCHOR: create
// create registers a parcel, or changes one.
func (s *service) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	var p parcel
	if err := json.Unmarshal(body, &p); err != nil {
		fail(w, r, http.StatusBadRequest, err)
		return
	}
	if !validID(p.ID) {
		fail(w, r, http.StatusUnprocessableEntity, fmt.Errorf("%q is no number of a parcel", p.ID))
		return
	}
	if err := s.store.insert(r.Context(), p); err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	logger(r.Context()).Info("registered", "id", p.ID, "grams", p.Grams)
	reply(w, http.StatusCreated, map[string]any{
		"id":    p.ID,
		"price": price(p.Grams),
		"self":  "/parcels/" + p.ID,
	})
}

func validID(id string) bool {
	return regexp.MustCompile(`^[A-Z]{2}[0-9]{9}$`).MatchString(id)
}

// ANCHOR_END: create

// price returns what the parcel costs, in cents.
func price(grams int) int { return 490 + (grams+999)/1000*150 }

// ANCHOR: show
// show shows a parcel and where it has been.
func (s *service) show(w http.ResponseWriter, r *http.Request) {
	p, err := s.store.parcel(r.Context(), r.PathValue("id"))
	if none, ok := errors.AsType[*notFoundError](err); ok {
		fail(w, r, http.StatusNotFound, none)
		return
	}
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	events, err := s.store.events(r.Context(), p.ID)
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{
		"parcel": p,
		"events": events,
		"price":  price(p.Grams),
	})
}

// ANCHOR_END: show

// ANCHOR: search
// search finds the parcels to a town that a query matches.
func (s *service) search(w http.ResponseWriter, r *http.Request) {
	limit := 50
	if r.URL.Query().Has("limit") {
		n, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || n < 1 {
			fail(w, r, http.StatusBadRequest, fmt.Errorf("limit %q", r.URL.Query().Get("limit")))
			return
		}
		limit = n
	}
	found, err := s.store.search(r.Context(), r.URL.Query().Get("town"), r.URL.Query().Get("q"))
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	results := []map[string]any{}
	for _, p := range found[:min(len(found), limit)] {
		results = append(results, map[string]any{
			"id":    p.ID,
			"name":  p.Name,
			"grams": p.Grams,
			"self":  "/parcels/" + p.ID,
		})
	}
	reply(w, http.StatusOK, map[string]any{"total": len(found), "results": results})
}

// ANCHOR_END: search
