// Starts the workers of the sandbox, whose scripts are texts in the frame.

/**
 * Starts a worker from the text of its script. The blob's URL is revoked at once: a program could revoke it for later
 * workers.
 */
export function startWorker(script: string): Worker {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}
