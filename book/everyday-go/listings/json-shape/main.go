// Command json-shape reads the same JSON into a map and into a struct.
package main

import (
	"encoding/json"
	"fmt"
	"testing"
)

var text = []byte(`{"room":"hall","lux":1200,"lamp":true,"sensors":[{"id":7,"ok":true},{"id":8,"ok":false}]}`)

// ANCHOR: map
func luxFromMap(text []byte) (float64, error) {
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		return 0, err
	}
	lux, _ := v["lux"].(float64)
	return lux, nil
}

// ANCHOR_END: map

// ANCHOR: struct
func luxFromStruct(text []byte) (float64, error) {
	var v struct {
		Lux float64 `json:"lux"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return 0, err
	}
	return v.Lux, nil
}

// ANCHOR_END: struct

// ANCHOR: main
func main() {
	fmt.Println("map:   ", testing.AllocsPerRun(1000, func() { luxFromMap(text) }), "allocs")
	fmt.Println("struct:", testing.AllocsPerRun(1000, func() { luxFromStruct(text) }), "allocs")
}

// ANCHOR_END: main
