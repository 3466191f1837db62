/** Starts a worker by its script. Its address is no longer one when it runs: a program could revoke that of all that follow. */
export function startWorker(script: string): Worker {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}
