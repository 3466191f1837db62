// The instructor's token. The runner prints a link that has it in its fragment, which browsers do not send to servers.

import { isToken, normalized } from "./typed.ts";

const NAME = "onthestack/1/room/instructor";

/**
 * Returns the token in the address, which is then removed from it, or the one that this tab has; "" if there is none.
 * The rest of the fragment stays.
 */
export function takeToken(): string {
  const parts = location.hash.slice(1).split("&");
  const given = parts.find((part) => part.startsWith("token=") || isToken(normalized(part)));
  if (given === undefined) return read();
  const rest = parts.filter((part) => part !== given).join("&");
  history.replaceState(null, "", rest === "" ? location.pathname + location.search : `#${rest}`);
  const token = normalized(given.replace(/^token=/, ""));
  if (!isToken(token)) return read();
  keepToken(token);
  return token;
}

/** Stores the token until the tab is closed. */
export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(NAME, token);
  } catch {
    // Storage is blocked, so a reload asks for the token again.
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing was stored.
  }
}

function read(): string {
  try {
    return sessionStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}
