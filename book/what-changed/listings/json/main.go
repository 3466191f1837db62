// Command json reads two records from JSON and writes them as JSON again.
package main

import (
	"encoding/json"
	"fmt"
)

// ANCHOR: records
type reading struct {
	Room string
	Lux  int
	Lamp bool
}

var text = []byte(`[{"Room":"hall","Lux":120,"Lamp":true},{"Room":"attic","Lux":3,"Lamp":false}]`)

func parse() (readings []reading, err error) {
	err = json.Unmarshal(text, &readings)
	return readings, err
}

func format(readings []reading) ([]byte, error) {
	return json.Marshal(readings)
}

// ANCHOR_END: records

func main() {
	readings, err := parse()
	fmt.Println(readings, err)
	again, err := format(readings)
	fmt.Println(string(again), err)
}
