// The interface to whatever does the work of the page's buttons: a runner on the network, or the page's own engine.

import type { Formatted, ProgramRun, Report, Verdict } from "./go/runner.ts";
import type { Build, Solution } from "./engine/protocol.ts";
import type { CheckEvent, Shared } from "./responses.ts";

/** An offer to fetch the engine, so that the page can do the work by itself. */
export interface Offer {
  /** Bytes to fetch. */
  bytes: number;
  /** Uncompressed bytes of the workbook's pages, which are stored too; 0 if unknown. */
  pages: number;
  /** The reader chose the page over a server. */
  chosen: boolean;
  /** Whether the browser stores fetched files for later visits. It stores none for a page that came over plain http. */
  keeps: boolean;
  /** Whether a server is expected: one has answered before, or the page came over plain http, as in most classrooms. */
  expected: boolean;
  /** The release of Go that would check. */
  go: string;
  /** Called when the reader agrees: the page does the next request. */
  accept: () => void;
  /** Called when the reader prefers the server: the next request goes to it first. */
  decline: () => void;
  /** Returns a notice with the offer of doing what a button does. then is called when the reader has chosen. */
  notice: (offer: Offer, what: string, then: () => void) => HTMLElement;
}

/** How a request to a Runner ended. */
export type Outcome<T> =
  | { kind: "ok"; value: T }
  /** No runner answers. url is the site's. */
  | { kind: "unreachable"; url: string }
  /** No runner answers, but the page can do it if the reader lets it fetch the engine. */
  | { kind: "offer"; offer: Offer }
  /** The runner or the engine declined, for the reason in message. unable: the runner never does this. */
  | { kind: "refused"; message: string; headline?: string; unable?: true }
  | { kind: "canceled" };

export interface CallOptions {
  signal?: AbortSignal;
  /** Called before each wait of a busy runner. */
  onBusy?: (seconds: number) => void;
  /** Called with each event of the request, if the runner sends any. */
  onEvent?: (event: CheckEvent) => void;
  /** The release of Go to step through a program on, "1.27", which only a server may have. */
  go?: string;
}

export interface Runner {
  check(exercise: string, files: Record<string, string>, options?: CallOptions): Promise<Outcome<Verdict>>;
  compile(body: string, options?: CallOptions): Promise<Outcome<ProgramRun>>;
  escape(body: string, options?: CallOptions): Promise<Outcome<Report>>;
  format(body: string, options?: CallOptions): Promise<Outcome<Formatted>>;
  /** Runs a program statement by statement. The answer is the document that step/viewer.ts reads. */
  step(body: string, options?: CallOptions): Promise<Outcome<unknown>>;
  /** Stores a program under a URL that shows it to others. */
  share(body: string, options?: CallOptions): Promise<Outcome<Shared>>;
  /** The Go release that builds, and for which platform: "go1.26.8 wasip1/wasm". */
  version(options?: CallOptions): Promise<Outcome<string>>;
  /** The choice between a server and the page; null if there is none. */
  readonly choice: RunnerChoice | null;
}

export type Where = "server" | "page";

/** The choice between the server and the page, and the page's own engine. All widgets of the page share it. */
export interface RunnerChoice {
  /**
   * Returns what the reader chose; null for the default, which is the server if it can be reached and the page if not.
   */
  chosen(): Where | null;
  choose(where: Where): void;
  /** Calls back as soon as both are known to work, so that there is a choice. */
  whenBoth(tell: () => void): void;
  /** Stores that the reader has agreed that the page fetches its engine. */
  agree(): void;
  /**
   * Starts the page's engine while the reader reads, and builds what build returns, if the page is to answer and has
   * everything in the browser's cache. Nothing is fetched, and nothing runs. Only the first call of a page counts.
   */
  prepare(build: () => Build): void;
  /** Returns the server if it is to do the next request: it has answered before, and the page was not chosen. */
  expected(): Runner | null;
  /**
   * Builds a solution with the page's engine, so that its check takes less time. Returns the verdict as far as to the
   * build; null if the engine does not run or has other work. Rejects if the browser blocks its cache.
   */
  build(solution: Solution, signal: AbortSignal): Promise<Verdict | null>;
}
