// The text for a reader when the server does not answer.

export const SERVER_UNREACHABLE = "The server does not answer";

/** Returns a text that says that no code is lost, and what to do next. url is the site's. */
export function unreachableText(url: string): string {
  const mend = isLocal(url)
    ? "The server ran on this machine: start it again."
    : "If you are in a class, tell the instructor.";
  return `Nothing is lost: your code stays in the editor. ${mend}`;
}

/** Reports whether a page came from a server on this machine, which its reader can start. */
export function isLocal(url: string): boolean {
  return URL.canParse(url) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}
