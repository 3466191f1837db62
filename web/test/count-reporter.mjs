// A reporter of Node's test runner for "make test" and "make proof". It prints nothing: it counts the tests, and
// appends the counts to the file named by the variable TEST_COUNTS, in the format of tools/testsummary.
import { appendFile } from "node:fs/promises";

export default async function* countReporter(events) {
  const counts = { passed: 0, failed: 0, failures: [], skipped: [] };
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    if (data.skip !== undefined || data.todo !== undefined) {
      const reason = data.skip ?? data.todo;
      counts.skipped.push({
        name: `web ${data.name}`,
        reason: typeof reason === "string" ? reason : "no reason given",
      });
    } else if (type === "test:pass") counts.passed++;
    else {
      counts.failed++;
      const error = data.details?.error;
      const lines = String(error?.cause?.message ?? error?.message ?? "no reason given").split("\n");
      counts.failures.push({ name: `web ${data.name}`, lines: lines.filter((line) => line.trim() !== "").slice(0, 5) });
    }
  }
  await appendFile(process.env.TEST_COUNTS, `${JSON.stringify(counts)}\n`);
  yield "";
}
