// In place of highlight.js, which mdBook's book.js calls: the workbook's own script colors what it shows
// (web/src/color-code.ts), with the same words and colors as its editor.
window.hljs = { configure() {}, highlightBlock() {} };
