// The extension of VS Code starts "checkalloc lsp" and hands it the user's settings. All else is the server's:
// internal/owncode/lsp. The client registers the commands that the server names, which code lenses and code actions
// then execute.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands, type ExtensionContext, window, workspace } from "vscode";
import { DidChangeConfigurationNotification, LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;
// Starts and stops happen one after the other.
let last: Promise<void> = Promise.resolve();

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("checkalloc.restart", restart),
    workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("checkalloc.path")) void restart();
      else if (e.affectsConfiguration("checkalloc")) void configure();
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await (last = last.then(stop));
}

function restart(): Promise<void> {
  last = last.then(stop).then(start);
  return last;
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  // A server that did not start, or that has ended, cannot be stopped.
  await old?.dispose().catch(() => {});
}

/** Tells the server what the user has set, if it runs. */
function configure(): Promise<void> {
  const changed = { settings: { checkalloc: settings() } };
  last = last.then(() => client?.sendNotification(DidChangeConfigurationNotification.type, changed).catch(() => {}));
  return last;
}

/** The settings that the server knows. */
function settings() {
  const all = workspace.getConfiguration("checkalloc");
  return {
    measureOnSave: all.get("measureOnSave"),
    bench: all.get("bench"),
    benchtime: all.get("benchtime"),
    tags: all.get("tags"),
    profile: all.get("profile"),
    binary: all.get("binary"),
    per: all.get("per"),
  };
}

async function start(): Promise<void> {
  const path = workspace.getConfiguration("checkalloc").get("path", "checkalloc");
  try {
    await promisify(execFile)(path, ["lsp", "--help"]);
  } catch (error) {
    await explain(path, error);
    return;
  }
  client = new LanguageClient(
    "checkalloc",
    "checkalloc",
    { command: path, args: ["lsp"] },
    {
      documentSelector: [{ scheme: "file", language: "go" }],
      initializationOptions: settings(),
      middleware: {
        // The command palette gives no argument: it is about the file in front.
        executeCommand: (command, args, next) => {
          const uri = window.activeTextEditor?.document.uri.toString();
          return next(command, args.length > 0 || !uri ? args : [{ uri }]);
        },
      },
    },
  );
  // The client itself shows why a server did not start.
  await client.start().catch(() => {});
}

/** Says why there is no program, and shows the setting that names it. Activation does not wait for the answer. */
async function explain(path: string, error: unknown): Promise<void> {
  const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such program" : String(error);
  const open = "Open the Setting";
  const answer = window.showErrorMessage(
    `checkalloc cannot start "${path}": ${why}. Install it by "go install ./tools/checkalloc" in a clone of ` +
      `On the Stack, or set its path.`,
    open,
  );
  void answer.then((a) => a === open && commands.executeCommand("workbench.action.openSettings", "checkalloc.path"));
}
