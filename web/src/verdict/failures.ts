// Parses the failed tests from the output of a test binary.

/** A failed test with its first message. */
export interface Failure {
  /** The test's name, with the subtest after a slash: "TestReplace" or "TestReplace/a_departure". */
  test: string;
  /** The position of the message in a test file; line 0 if it has none. */
  file: string;
  line: number;
  /** The message's sentence, without its fields. */
  message: string;
  /** The named values after the sentence, on lines of their own: the inputs, then got and want. */
  fields: [name: string, value: string][];
}

/** The result of a test that failed. */
export const FAILED = /^(\s*)--- FAIL: (\S+) \([\d.]+s\)$/;
const MESSAGE = /^(\s+)([\w.-]+_test\.go):(\d+): (.*)$/;
const FIELD = /^\s*([a-z]+): +(\S.*)$/;

/** The line in which a test prints its random seed; it is not a failure. */
const SEED = /^to repeat these inputs: /;

/** The largest number of failures that is returned. The log contains all. */
const MAX_FAILURES = 20;

/**
 * Returns the failures in a log: the first message of each failed test. A test whose subtests failed is represented by
 * them.
 */
export function failures(log: string): Failure[] {
  const found: Failure[] = [];
  const lines = log.split("\n");
  let open: { test: string; indent: number; hasMessage: boolean } | null = null;
  for (let i = 0; i < lines.length && found.length < MAX_FAILURES; i++) {
    const line = lines[i]!;
    const failed = FAILED.exec(line);
    if (failed) {
      open = { test: failed[2]!, indent: failed[1]!.length, hasMessage: false };
      continue;
    }
    const message = MESSAGE.exec(line);
    if (!open || open.hasMessage || !message || message[1]!.length <= open.indent || SEED.test(message[4]!)) continue;
    const body: string[] = [];
    // The lines that belong to a message are indented further.
    while (i + 1 < lines.length && indentOf(lines[i + 1]!) > message[1]!.length && !MESSAGE.test(lines[i + 1]!))
      body.push(lines[++i]!);
    found.push({ test: open.test, file: message[2]!, line: Number(message[3]), ...parseMessage(message[4]!, body) });
    open.hasMessage = true;
  }
  return found;
}

/** Separates the sentence of a message from its fields. */
function parseMessage(first: string, body: readonly string[]): Pick<Failure, "message" | "fields"> {
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

/** Returns a test's name in readable form: "TestReplace, a departure". */
export function testName(test: string): string {
  const [name, ...cases] = test.split("/");
  return [name, ...cases.map((c) => c.replaceAll("_", " "))].join(", ");
}
