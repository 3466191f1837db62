// What answers the buttons of the page: a runner over the network, or the page's own engine.

import type { Formatted, ProgramRun, Report, Verdict } from "./go/runner.ts";
import type { CheckNews, Shared } from "./responses.ts";

/** What the page could fetch to answer by itself. */
export interface Offer {
  /** Bytes to fetch. */
  bytes: number;
  /** Bytes of the workbook's pages, which are kept too, before they are compressed; 0 where that is not known. */
  pages: number;
  /** The reader chose the page: it does not take a server's place. */
  chosen: boolean;
  /** Whether the browser keeps fetched files for later visits. It keeps none for a page that came over plain http. */
  keeps: boolean;
  /** Whether a server is expected: one has answered before, or the page came over plain http, as in most classrooms. */
  expected: boolean;
  /** The release of Go that would check. */
  go: string;
  /** The reader agrees: what is asked next is answered in the page. */
  accept: () => void;
  /** Called when the reader prefers the server: the next request goes to it first. */
  decline: () => void;
}

export type Outcome<T> =
  | { kind: "ok"; value: T }
  /** No runner answers here. */
  | { kind: "unreachable"; place: string }
  /** No runner answers here, but the page can, once the reader lets it fetch what that takes. */
  | { kind: "offer"; offer: Offer }
  /** It was answered that this will not be done. */
  | { kind: "refused"; message: string; headline?: string }
  | { kind: "canceled" };

export interface CallOptions {
  signal?: AbortSignal;
  /** Called before each wait of a busy runner. */
  onBusy?: (seconds: number) => void;
  /** Called as it goes on, where that is told. */
  onNews?: (news: CheckNews) => void;
}

export interface Runner {
  check(exercise: string, files: Record<string, string>, options?: CallOptions): Promise<Outcome<Verdict>>;
  compile(body: string, options?: CallOptions): Promise<Outcome<ProgramRun>>;
  escape(body: string, options?: CallOptions): Promise<Outcome<Report>>;
  format(body: string, options?: CallOptions): Promise<Outcome<Formatted>>;
  /** Has a program kept, under an address that shows it to others. */
  share(body: string, options?: CallOptions): Promise<Outcome<Shared>>;
  /** The Go release that builds, and for which platform: "go1.26.8 wasip1/wasm". */
  version(options?: CallOptions): Promise<Outcome<string>>;
  /** Where it answers, and the choice, where the reader has one. */
  readonly place: Place | null;
}

export type Where = "server" | "page";

/** The choice between the server and the page. It is the same for all that ask. */
export interface Place {
  /** What was chosen; null: the server, where it can be reached, and else the page. */
  chosen(): Where | null;
  choose(where: Where): void;
  /** Calls back, now or later, when there is a choice: both can answer. */
  whenBoth(tell: () => void): void;
}
