// Command after is the HTTP service of a parcel depot with few allocations,
// and a load generator.
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
)

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
	return s.observe(mux)
}

// ANCHOR: create
// create registers a parcel, or changes one.
func (s *service) create(w http.ResponseWriter, r *http.Request) {
	var p parcel
	if err := readJSON(r.Body, &p); err != nil {
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
	q := requestOf(r.Context())
	q.log.LogAttrs(r.Context(), slog.LevelInfo, "registered", slog.Int64("request", q.id),
		slog.String("id", p.ID), slog.Int("grams", p.Grams))
	reply(w, r, http.StatusCreated, &registered{p.ID, price(p.Grams), "/parcels/" + p.ID})
}

type registered struct {
	ID    string `json:"id"`
	Price int    `json:"price"`
	Self  string `json:"self"`
}

// validID reports whether an ID is two capital letters and nine digits.
func validID(id string) bool {
	if len(id) != 11 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if i < 2 && (c < 'A' || c > 'Z') || i >= 2 && (c < '0' || c > '9') {
			return false
		}
	}
	return true
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
	reply(w, r, http.StatusOK, &shown{p, events, price(p.Grams)})
}

type shown struct {
	Parcel parcel  `json:"parcel"`
	Events []event `json:"events"`
	Price  int     `json:"price"`
}

// ANCHOR_END: show

// ANCHOR: search
// search finds the parcels to a town that a query matches.
func (s *service) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit := 50
	if query.Has("limit") {
		n, err := strconv.Atoi(query.Get("limit"))
		if err != nil || n < 1 {
			fail(w, r, http.StatusBadRequest, fmt.Errorf("limit %q", query.Get("limit")))
			return
		}
		limit = n
	}
	results, total, err := s.store.search(r.Context(), query.Get("town"), query.Get("q"), limit)
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err)
		return
	}
	reply(w, r, http.StatusOK, &found{total, results})
}

type found struct {
	Total   int      `json:"total"`
	Results []result `json:"results"`
}

type result struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Grams int    `json:"grams"`
	Self  string `json:"self"`
}

// ANCHOR_END: search
