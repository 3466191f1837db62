// The benchmarks of a program, as far as its text shows them.

const MAIN = /^func main\(\)/m;
/** As "go test" reads a name: what follows the word does not begin with a small letter. */
const BENCHMARK = /^func (Benchmark(?:\P{Ll}[\p{L}\p{N}_]*)?)\(\w+ \*(?:\w+\.)?B\)/gmu;

/** Returns the names of the benchmarks that Run leaves out because the program has a main function, which it calls. */
export function besideMain(text: string): string[] {
  return MAIN.test(text) ? [...text.matchAll(BENCHMARK)].map(([, name]) => name!) : [];
}
