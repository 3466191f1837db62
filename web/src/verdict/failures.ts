// What failed, from what a test binary prints. Nothing here touches the page.

/** A failed test with the first thing that it says. */
export interface Failure {
  /** "TestReplace", and the case after a slash where it has a name: "TestReplace/a_departure". */
  test: string;
  /** Where it says so, of the test's files; line 0 where it does not say. */
  file: string;
  line: number;
  /** In a sentence. */
  message: string;
  /** What follows the sentence on lines of its own, by name: the inputs, then got and want. */
  fields: [name: string, value: string][];
}

const FAILED = /^(\s*)--- FAIL: (\S+) \([\d.]+s\)$/;
const MESSAGE = /^(\s+)([\w.-]+_test\.go):(\d+): (.*)$/;
const FIELD = /^\s*([a-z]+): +(\S.*)$/;

/** How a test says which inputs it drew: no failure of its own. */
const SEED = /^to repeat these inputs: /;

/** So many failures are told; the log has all. */
const MOST = 20;

/** The failures in a log, of each test the first message; a test whose cases failed is told by these. */
export function failures(log: string): Failure[] {
  const found: Failure[] = [];
  const lines = log.split("\n");
  let open: { test: string; indent: number; told: boolean } | null = null;
  for (let i = 0; i < lines.length && found.length < MOST; i++) {
    const line = lines[i]!;
    const failed = FAILED.exec(line);
    if (failed) {
      open = { test: failed[2]!, indent: failed[1]!.length, told: false };
      continue;
    }
    const said = MESSAGE.exec(line);
    if (!open || open.told || !said || said[1]!.length <= open.indent || SEED.test(said[4]!)) continue;
    const body: string[] = [];
    // What belongs to a message is indented further than it.
    while (i + 1 < lines.length && indentOf(lines[i + 1]!) > said[1]!.length && !MESSAGE.test(lines[i + 1]!)) body.push(lines[++i]!);
    found.push({ test: open.test, file: said[2]!, line: Number(said[3]), ...message(said[4]!, body) });
    open.told = true;
  }
  return found;
}

function message(first: string, body: readonly string[]): Pick<Failure, "message" | "fields"> {
  const fields: [string, string][] = [];
  const text = [first];
  for (const line of body) {
    const field = FIELD.exec(line);
    const last = fields.at(-1);
    if (field) fields.push([field[1]!, field[2]!]);
    else if (last) last[1] += `\n${line.trim()}`;
    else text.push(line.trim());
  }
  return { message: text.join(" ").trim(), fields };
}

const indentOf = (line: string): number => /^\s*/.exec(line)![0].length;

/** A test's name as a person reads it: "TestReplace, a departure". */
export function testName(test: string): string {
  const [name, ...cases] = test.split("/");
  return [name, ...cases.map((c) => c.replaceAll("_", " "))].join(", ");
}
