// How the rows of the grid are laid out: with many of them, in lower rows and in blocks side by side, so that a class
// fits on a projector without scrolling.

/** With more rows than these, a cell has one line in place of two. */
const MAX_TALL_ROWS = 20;

/** The least widths in px at which a dense grid can be read: the names, a column, and the space between two blocks. */
const NAME = 220;
const COLUMN = 108;
export const GAP = 20;

/** The heights of a dense row in px: another block is made where rows would be lower than the comfortable ones. */
const MIN_ROW = 22;
const COMFORTABLE_ROW = 26;
const MAX_ROW = 32;

/** The height of the titles above the rows in px. */
const HEAD = 64;

export interface Layout {
  /** Tables side by side. */
  blocks: number;
  /** Whether a cell has one line. */
  dense: boolean;
  /** The height of a dense row in px. */
  row: number;
}

/** Returns the layout of a grid with rows and columns, in a place of a width and a height in px. */
export function layOut(rows: number, columns: number, width: number, height: number): Layout {
  if (rows <= MAX_TALL_ROWS) return { blocks: 1, dense: false, row: MAX_ROW };
  const most = Math.max(1, Math.floor((width + GAP) / (NAME + columns * COLUMN + GAP)));
  const fits = (blocks: number) => Math.floor((height - HEAD) / Math.ceil(rows / blocks));
  let blocks = 1;
  while (blocks < most && fits(blocks) < COMFORTABLE_ROW) blocks++;
  return { blocks, dense: true, row: Math.min(MAX_ROW, Math.max(MIN_ROW, fits(blocks))) };
}

/** Divides rows into blocks, as equal as possible, the longer ones first. */
export function inBlocks<T>(rows: readonly T[], blocks: number): T[][] {
  const each = Math.ceil(rows.length / blocks);
  return Array.from({ length: blocks }, (_, i) => rows.slice(i * each, (i + 1) * each));
}
