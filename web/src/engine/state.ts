// The states of a page's engine, and the events that lead from one to the next.
//
//   stopped ──start──▶ loading ──loaded──▶ ready ◀──answered── busy, canceling
//                                            │
//                                            └──task──▶ busy ──cancel──▶ canceling
//
//   loading, ready, busy, canceling ──ended──▶ stopped
//
// "ended" has many causes: a part cannot be fetched, nobody waits for the start any more, the browser ends the worker,
// a task exceeds its time limit, a canceled task does not stop within its grace period, or the reader leaves the page.

import type { CallOptions, Outcome } from "../runner.ts";
import type { Session } from "./session.ts";

/** A task that the worker has. */
export interface RunningTask {
  id: number;
  onEvent: CallOptions["onEvent"];
  settle: (outcome: Outcome<unknown>) => void;
}

export type State =
  /** There is no worker. The engine begins here, and starts again from here when it is next asked. */
  | { name: "stopped" }
  /** The parts are fetched, compiled and started. */
  | { name: "loading"; session: Session }
  /** The worker waits for a task. */
  | { name: "ready"; session: Session }
  | { name: "busy"; session: Session; task: RunningTask }
  /**
   * Nobody waits for the task any more, and the worker was told so. It cannot interrupt the compiler, so it may still
   * be at work.
   */
  | { name: "canceling"; session: Session; task: RunningTask };

export type StateEvent =
  | { name: "start"; session: Session }
  | { name: "loaded" }
  | { name: "task"; task: RunningTask }
  | { name: "cancel" }
  | { name: "answered" }
  | { name: "ended" };

/** Returns the state after an event. If the event has no meaning in a state, the same object is returned. */
export function transition(state: State, event: StateEvent): State {
  switch (event.name) {
    case "start":
      return state.name === "stopped" ? { name: "loading", session: event.session } : state;
    case "loaded":
      return state.name === "loading" ? { name: "ready", session: state.session } : state;
    case "task":
      return state.name === "ready" ? { name: "busy", session: state.session, task: event.task } : state;
    case "cancel":
      return state.name === "busy" ? { ...state, name: "canceling" } : state;
    case "answered":
      return state.name === "busy" || state.name === "canceling" ? { name: "ready", session: state.session } : state;
    case "ended":
      return state.name === "stopped" ? state : { name: "stopped" };
  }
}
