import assert from "node:assert/strict";

/** Fails if there are faults, with the first of them line by line. */
export function none(faults: string[]): void {
  const more = faults.length > 40 ? `\n… and ${faults.length - 40} more` : "";
  assert.ok(faults.length === 0, `\n${[...faults].sort().slice(0, 40).join("\n")}${more}`);
}
