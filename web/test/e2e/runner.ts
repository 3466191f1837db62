// Starts the real runner for the built site, on a free port.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export interface Runner {
  url: string;
  /** The output until then. */
  said: string;
  /** The ID of its process. */
  pid: number;
  /** Stops it. Further calls do nothing. */
  stop(): Promise<void>;
  /** Kills it, as a power failure would. */
  kill(): Promise<void>;
}

/** The folder that the tests of all languages share from one run to the next. */
export const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "onthestack");

/** Resolves once the runner answers. If it fails to start, its output goes to stderr. */
export async function startRunner(
  binary: string,
  site: string,
  more: { args?: string[]; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Runner> {
  // Shared programs and rooms are stored in a folder of the test. The Go tests share the compiled standard library.
  const dir = await mkdtemp(join(tmpdir(), "onthestack-e2e-"));
  const own = ["-state", dir, "-data", join(cache, "runner-test")];
  const args = ["-addr", "127.0.0.1:0", "-site", site, ...own, ...(more.args ?? [])];
  const env = { ...process.env, ...more.env };
  return startServer(binary, args, { cwd: more.cwd, env }, () => rm(dir, { recursive: true, force: true }));
}

/** Resolves once a server answers. clean is called when it has ended. */
export async function startServer(
  binary: string,
  args: string[],
  where: { cwd: string | undefined; env: NodeJS.ProcessEnv },
  clean: () => Promise<void>,
): Promise<Runner> {
  const server = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], ...where });
  const { url, said } = await address(server);
  return {
    url,
    said,
    pid: server.pid!,
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exit = once(server, "exit");
      server.kill("SIGTERM");
      await exit;
      await clean();
    },
    async kill() {
      const exit = once(server, "exit");
      server.kill("SIGKILL");
      await exit;
      await clean();
    },
  };
}

/** Returns the URL that the runner prints, and everything before it. */
function address(server: ChildProcess): Promise<{ url: string; said: string }> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const url = /serving the workbook at (http:\/\/\S+)/.exec(said)?.[1];
      if (url) resolve({ url: url.replace(/\/$/, ""), said });
    };
    server.stdout!.on("data", listen);
    server.stderr!.on("data", listen);
    server.on("exit", (code) => reject(new Error(`the runner ended with exit code ${code}:\n${said}`)));
    server.on("error", reject);
  });
}
