// A reporter of Node's test runner for "make test" and "make proof": it prints nothing, counts the tests, and appends them to the
// file that TALLY names, as tools/tally says.
import { appendFile } from "node:fs/promises";

export default async function* tally(events) {
  const counts = { passed: 0, failed: 0, skipped: [] };
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    if (data.skip !== undefined || data.todo !== undefined) {
      const reason = data.skip ?? data.todo;
      counts.skipped.push({ name: `web ${data.name}`, reason: typeof reason === "string" ? reason : "it does not say why" });
    } else if (type === "test:pass") counts.passed++;
    else counts.failed++;
  }
  await appendFile(process.env.TALLY, `${JSON.stringify(counts)}\n`);
  yield "";
}
