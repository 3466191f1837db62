// Parts of the script that a page loads when they are first needed.

/** Resolves to a part that is being loaded by import(), or rejects with what the reader can do. */
export async function later<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    // The browser's own message is for programmers, and names an address.
    throw new Error("The connection broke off. Press the button again, or reload the page: the site may have changed.", { cause });
  }
}
