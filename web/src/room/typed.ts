// The codes of rooms and the tokens of instructors, as people type them.

/** Returns a code or a token as the server made it, from how somebody typed it. */
export const normalized = (typed: string): string => typed.replace(/[\s-]/g, "").toUpperCase();

/** Reports whether a normalized text has the form of a room's code. */
export const isCode = (text: string): boolean => /^[2-9A-HJ-NP-Z]{6}$/.test(text);

/** Reports whether a normalized text has the form of a token. */
export const isToken = (text: string): boolean => /^[2-9A-HJ-NP-Z]{16}$/.test(text);

/** Returns a token in groups of four, as it is read and typed. */
export const grouped = (token: string): string => token.replace(/(.{4})(?=.)/g, "$1-");
