// Answers of a runner to the checks of the stand-in exercise.

import { type Answer, type Request } from "./server.ts";
import { BROKEN, BUILD_ERROR, FAILED_TESTS, PASS, SOLUTION, TWO_ALLOCATIONS } from "./verdicts.ts";

/** Answers as a runner that knows these texts. */
export function answerChecks({ path, body }: Request): Answer | undefined {
  if (path === "/fmt")
    return { body: { Body: new URLSearchParams(body).get("body")!.replace("  :=", " :="), Error: "" } };
  if (path !== "/check") return undefined;
  const text = (JSON.parse(body) as { files: Record<string, string> }).files["stream.go"]!;
  if (text === SOLUTION) return { body: PASS };
  if (text === BROKEN) return { body: BUILD_ERROR };
  if (text.includes("return // too early")) return { body: FAILED_TESTS };
  return { body: TWO_ALLOCATIONS };
}
