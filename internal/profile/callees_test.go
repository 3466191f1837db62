package profile

import (
	"maps"
	"testing"

	"onthestack/internal/harness/wire"
)

// TestCallees: the innermost wanted package counts, unless the package itself or the measurement is nearer.
func TestCallees(t *testing.T) {
	const f = importPath + ".F x.go:3"
	objects := map[string]float64{"lib": 1}
	Callees(objects, []wire.Stack{
		stack(2, 16, "runtime.newobject", "strings.Clone", "example.com/m/sub.(*T).Do", f),
		stack(3, 16, "runtime.newobject", "lib.F[go.shape.*example.com/m/other.T]", "example.com/m/sub.Do", f),
		stack(5, 16, "runtime.growslice", "gopkg.in/yaml%2ev3.Marshal", f),
		stack(7, 16, "runtime.newobject", f, "example.com/m/sub.Do", f),
		stack(7, 16, "runtime.newobject", importPath+"_test.each x_test.go:1", "example.com/m/sub.Do", f),
		stack(7, 16, "runtime.newobject", "example.com/m/internal/harness/testmain.Stopped", "example.com/m/sub.Do"),
		stack(7, 16, "runtime.newobject", "runtime.main"),
	}, []string{importPath, importPath + "_test"}, func(path string) bool { return path != "strings" })
	want := map[string]float64{"lib": 1 + 3, "example.com/m/sub": 2, "gopkg.in/yaml.v3": 5}
	if !maps.Equal(objects, want) {
		t.Errorf("got %v, want %v", objects, want)
	}
}
