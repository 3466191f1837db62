// Server-sent events, read from a request's answer: EventSource can only GET.

export interface ServerEvent {
  /** "message" where the event has no name. */
  name: string;
  data: string;
}

/** So much text may be waiting for the end of its event, in UTF-16 units. */
const MOST_WAITING = 8 << 20;

/** Splits a stream's text into events, however it was cut into chunks. */
export class EventStreamParser {
  readonly #most: number;
  #line = "";
  /** The chunk before ended in a carriage return; a line feed that follows belongs to it. */
  #halfEnd = false;
  #name = "";
  #data: string[] = [];
  #size = 0;

  constructor(most = MOST_WAITING) {
    this.#most = most;
  }

  /** The events that end in this chunk. Throws a RangeError where one grows too large. */
  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    // A carriage return that ended the chunk before was a line's end; this is the rest of it.
    const text = this.#halfEnd && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    if (chunk !== "") this.#halfEnd = chunk.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.#take(this.#line + line);
      this.#line = "";
      if (event) events.push(event);
    }
    this.#line += rest;
    if (this.#size + this.#line.length > this.#most) throw new RangeError("an event of the stream is too large");
    return events;
  }

  /** Takes a line; an empty one ends the event. */
  #take(line: string): ServerEvent | null {
    if (line === "") {
      const event = { name: this.#name || "message", data: this.#data.join("\n") };
      const any = this.#data.length > 0;
      this.#name = "";
      this.#data = [];
      this.#size = 0;
      return any ? event : null;
    }
    // A line that begins with a colon is a comment: its field has no name.
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === "event") this.#name = value ?? "";
    if (field === "data") {
      this.#data.push(value ?? "");
      this.#size += line.length;
    }
    if (this.#size > this.#most) throw new RangeError("an event of the stream is too large");
    return null;
  }
}

/** The events of an answer's body as they arrive. Leaving the loop gives up the rest of it. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  const parser = new EventStreamParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      // What is not ended by an empty line is no event: the stream broke off.
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Without a wait: it is of no use to know how the cancellation went.
    reader.cancel().catch(() => {});
  }
}
