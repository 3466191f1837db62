// The script of the book's pages, with the modules that several of the parts need which it loads later. The build has
// each of these parts import this file, so that all of it is one file for the browser: esbuild otherwise makes a file for
// each set of parts that share a module, and most pages would need a dozen.

import "./main.ts";
import "./choices/data.ts";
import "./code-editor.ts";
import "./errors.ts";
import "./exercise/data.ts";
import "./files.ts";
import "./job.ts";
import "./program/share-link.ts";
import "./room/seat.ts";
import "./verdict/marks.ts";
import "./where-switch.ts";
