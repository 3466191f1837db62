package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// get sends a request and returns the response, decompressed.
func get(t *testing.T, h http.Handler, c *client) (status int, body string) {
	t.Helper()
	var out bytes.Buffer
	c.out = &out
	c.send(h)
	if c.header.Get("Content-Encoding") != "gzip" {
		return c.status, out.String()
	}
	zr, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(zr); err != nil {
		t.Fatal(err)
	}
	return c.status, plain.String()
}

func TestService(t *testing.T) {
	h := newTestService()
	for range 2 { // the second time, the cache and the pools are in use
		for _, test := range []struct {
			client *client
			status int
			body   string
		}{
			{createClient(), 201, `{"id":"RB000004711","price":790,"self":"/parcels/RB000004711"}`},
			{newClient("GET", "/parcels/rb000004711", ""), 200, `{
				"parcel": {"id":"RB000004711", "name":"Ada Lindqvist", "town":"Lund", "grams":1250,
					"note":"Leave it with the neighbor on the left."},
				"events": [], "price": 790}`},
			{showClient(), 200, `{
				"parcel": {"id":"RB000000042", "name":"Maja Lindgren", "town":"Lund", "grams":1754},
				"events": [
					{"at":"2026-11-02T07:42:00Z", "place":"Göteborg", "status":"accepted"},
					{"at":"2026-11-02T12:42:00Z", "place":"Helsingborg", "status":"on its way"},
					{"at":"2026-11-02T17:42:00Z", "place":"Lund", "status":"at the depot"}],
				"price": 790}`},
			{newClient("GET", "/search?q=lind+grams%3E1500&town=Lund", ""), 200, `{"total":1, "results":[
				{"id":"RB000000042", "name":"Maja Lindgren", "grams":1754, "self":"/parcels/RB000000042"}]}`},
			{newClient("GET", "/search?q=nobody&town=Lund", ""), 200, `{"total":0, "results":[]}`},
			{newClient("GET", "/search?limit=x", ""), 400, `{"error":"limit \"x\""}`},
			{newClient("GET", "/parcels/RB1", ""), 404, `{"error":"no parcel RB1"}`},
			{newClient("POST", "/parcels", `{"id":"rb000004711"}`), 422,
				`{"error":"\"rb000004711\" is no number of a parcel"}`},
		} {
			status, body := get(t, h, test.client)
			var got, want any
			if err := json.Unmarshal([]byte(test.body), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Errorf("%s: %v", test.client.request.URL, err)
			}
			if status != test.status || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s\n  got:  %d %s\n  want: %d %s", test.client.request.Method, test.client.request.URL,
					status, body, test.status, test.body)
			}
		}
	}
	status, body := get(t, h, newClient("GET", "/metrics", ""))
	if want := `requests{method="GET",route="GET /search",status="200"} 4`; status != 200 ||
		!strings.Contains(body, want) {
		t.Errorf("metrics\n  got:  %d %s\n  want: %s", status, body, want)
	}
}
