// Starts the real runner over the built site, on a port that is free.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Runner {
  url: string;
  /** Ends it; a second time it does nothing. */
  stop(): Promise<void>;
}

/** Resolves once the runner answers; its own words go to stderr where it fails to start. */
export async function startRunner(binary: string, site: string, more: { args?: string[]; cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Runner> {
  // Shared programs are kept in a file of the test's own.
  const dir = await mkdtemp(join(tmpdir(), "onthestack-e2e-"));
  const args = ["-addr", "127.0.0.1:0", "-site", site, "-snippets", join(dir, "snippets.db"), ...(more.args ?? [])];
  const process = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], cwd: more.cwd, env: { ...globalThis.process.env, ...more.env } });
  const url = await address(process);
  return {
    url,
    async stop() {
      if (process.exitCode !== null) return;
      const exit = once(process, "exit");
      process.kill("SIGTERM");
      await exit;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The address that the runner says it serves at. */
function address(process: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const url = /serving the workbook at (http:\/\/\S+)/.exec(said)?.[1];
      if (url) resolve(url.replace(/\/$/, ""));
    };
    process.stdout!.on("data", listen);
    process.stderr!.on("data", listen);
    process.on("exit", (code) => reject(new Error(`the runner ended with exit code ${code}:\n${said}`)));
    process.on("error", reject);
  });
}
