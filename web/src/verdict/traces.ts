// Reads from a program's output where it was when it panicked, or when the runtime ended it.

/** The innermost line of the reader's code in the stack of a goroutine. */
export interface Trace {
  file: string;
  line: number;
  /** What the runtime said: "panic: runtime error: index out of range [3] with length 3". */
  message: string;
}

const SAID = /^(?:panic|fatal error): .+$/;
const RECOVERED = /\s*\[recovered\b[^\]]*\]$/;
const GOROUTINE = /^goroutine \d+ .*\[.*\]:$/;
/** Where a goroutine was started: the calls above are its stack. */
const CREATED = /^created by /;
const FRAME = /^\s+(?:\S*\/)?([\w.-]+\.go):(\d+)(?: \+0x[0-9a-f]+)?$/;

/** The largest number of goroutines that is returned. */
const MAX_GOROUTINES = 20;

/**
 * Returns where the goroutines of a stack trace were, each at the innermost line of a file that isOwn accepts. A panic
 * prints one goroutine, a deadlock all that wait.
 */
export function traces(output: string, isOwn: (file: string) => boolean): Trace[] {
  const found: Trace[] = [];
  let message = "";
  let open = false;
  for (const line of output.split("\n")) {
    if (SAID.test(line)) message = line.replace(RECOVERED, "");
    if (GOROUTINE.test(line)) open = message !== "";
    if (CREATED.test(line)) open = false;
    const frame = open ? FRAME.exec(line) : null;
    if (!frame || !isOwn(frame[1]!)) continue;
    found.push({ file: frame[1]!, line: Number(frame[2]), message });
    if (found.length === MAX_GOROUTINES) break;
    open = false;
  }
  return found;
}
