// Reads server-sent events from the body of a response. The browser's EventSource cannot send a POST request.

import { createParser } from "eventsource-parser";

export interface ServerEvent {
  /** "message" if the event has no name. */
  name: string;
  data: string;
  /** For a client that asks for the events after this one. */
  id?: string;
}

/** The longest text, in UTF-16 units, that is buffered until its event is complete, unless the caller sets another. */
const MAX_BUFFERED = 8 << 20;

/**
 * Yields the events of a body as they arrive; leaving the loop cancels the rest. An event that the stream breaks off is
 * left out. Throws a RangeError if an event is longer than max, in UTF-16 units.
 */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  max = MAX_BUFFERED,
): AsyncGenerator<ServerEvent, void, void> {
  const events: ServerEvent[] = [];
  const parser = createParser({
    maxBufferSize: max,
    onEvent: ({ event, data, id }) =>
      events.push({ name: event ?? "message", data, ...(id === undefined ? {} : { id }) }),
    // Other errors are fields that the format does not know, which clients ignore.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new RangeError("an event of the stream is too large");
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    // Do not wait: nothing depends on whether canceling succeeds.
    reader.cancel().catch(() => {});
  }
}
