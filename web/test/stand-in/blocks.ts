// The blocks that tools/bookalloc writes beside exercises and verdicts: a question, and the grid of releases.

export const QUESTION = {
  listing: "sorting-and-size-classes/listings/strings",
  benchmark: "BenchmarkSort",
  title: "sort.Strings",
  asks_bytes: false,
  now: { go: "go1.26.8", platform: "linux/amd64", allocs_per_op: 0, bytes_per_op: 0 },
  then: { go: "go1.15.15", platform: "linux/amd64", allocs_per_op: 1, bytes_per_op: 32 },
};

const { then: _then, ...untimed } = QUESTION;

/** A question about a listing that no article measured. */
export const UNTIMED = {
  ...untimed,
  benchmark: "BenchmarkRows",
  title: "a map of rows",
  now: { ...QUESTION.now, allocs_per_op: 4, bytes_per_op: 512 },
};

/** A question about allocs/op and B/op. */
export const WITH_BYTES = {
  ...untimed,
  benchmark: "BenchmarkBox",
  title: "a box",
  asks_bytes: true,
  now: { ...QUESTION.now, allocs_per_op: 1, bytes_per_op: 24 },
};

/** A multiple-choice question, as mdBook renders the Markdown of tools/bookalloc. */
export const CHOICES = `<div class="ots-choices" id="question-memory-profiling-buffer">
<script type="application/json" class="ots-data">{"name":"memory-profiling/buffer","right":1}</script>
<p>Which line sends the <code>bytes.Buffer</code> to the heap?</p>
<ol>
<li><code>input := bytes.NewBuffer(data)</code></li>
<li><code>n, err := io.ReadFull(input, window[filled:])</code></li>
<li><code>output.Write(window[:filled])</code></li>
</ol>
<details><summary>The answer, and why</summary>
<ol>
<li><b>No.</b> This is where it is made.</li>
<li><b>Right.</b> The call stores it in an <code>io.Reader</code>.</li>
<li><b>No.</b> The compiler knows which <code>Write</code> is called.</li>
</ol>
</details>
</div>`;

const run = (gogc: number, limit: number, collections: number, heap: number) =>
  ({ gogc, limit, collections, heap, live: 16, share: 1.5 });

/** Runs of a program under settings of the garbage collector. */
export const GCTRACE = {
  runs: [
    run(50, 0, 64, 24),
    run(100, 0, 32, 32),
    run(200, 0, 16, 48),
    run(50, 32, 90, 24),
    run(100, 32, 88, 28),
    run(200, 32, 87, 30),
  ],
};

export const RELEASES = Array.from({ length: 24 }, (_, i) => `1.${i + 4}`);

/** One row of the grid: the figure of each range of releases. */
interface Row {
  title: string;
  article?: string;
  /** The allocations from each of these releases on; null if they could not be measured. */
  from: Record<string, number | null>;
  why: [release: string, change: string, why: string][];
}

const ROWS: Row[] = [
  {
    title: "sort.Strings over a slice of keys",
    article: "1.15",
    from: { "1.4": 1, "1.22": 0 },
    why: [
      ["1.16", "32 → 24 B/op", "The runtime has a size class of 24 bytes: a slice header no longer takes 32."],
      [
        "1.22",
        "1 → 0 allocs/op, 24 → 0 B/op",
        "sort.Strings calls slices.Sort, which is generic: it needs no interface, " +
          "so the slice header stays where it is.",
      ],
    ],
  },
  {
    title: "bytes.Buffer, 1024 bytes",
    article: "1.11",
    from: { "1.4": 3, "1.12": 2 },
    why: [["1.12", "2160 → 2176 B/op", "The buffer no longer carries an array of its own."]],
  },
  { title: "b.Loop", from: { "1.4": null, "1.24": 2, "1.26": 1 }, why: [] },
  {
    title: "the address in fifteen strings",
    article: "1.4",
    from: { "1.4": 15, "1.5": 12, "1.8": 7, "1.20": 5 },
    why: [],
  },
];

function cell(row: Row, i: number): string {
  const known = (at: number) =>
    RELEASES.slice(0, at + 1)
      .filter((r) => r in row.from)
      .pop()!;
  const allocs = row.from[known(i)];
  const release = RELEASES[i]!;
  if (allocs === null || allocs === undefined)
    return `<td class="is-missing" title="Go ${release}: not measured">–</td>`;
  const heat = [1, 2, 4, 8].filter((least) => allocs >= least).length;
  const before = i > 0 ? row.from[known(i - 1)] : allocs;
  const classes = [
    `ots-heat-${heat}`,
    before !== allocs && before !== null && "is-change",
    row.article === release && "is-article",
  ];
  const note = row.article === release ? '<span class="ots-hidden">, the article\'s release</span>' : "";
  const names = classes.filter(Boolean).join(" ");
  return `<td class="${names}" title="Go ${release}: ${allocs} allocs/op">${allocs}${note}</td>`;
}

function why({ why }: Row): string {
  if (why.length === 0) return "The same on every release.";
  const items = why.map(
    ([r, change, why]) =>
      `<li><b>${r}</b> ${change}. ${why} <a href="https://go.dev/doc/go${r}">Go ${r} notes</a></li>`,
  );
  return `<ul>${items.join("")}<li>The same on every release since.</li></ul>`;
}

/** The grid, in the wrapper that mdBook puts around tables. */
export const HISTORY = `<div class="ots-history" role="region" tabindex="0" aria-label="allocs/op by Go release">
<div class="table-wrapper"><table>
<caption>allocs/op on each Go release; the release of the article is outlined</caption>
<thead><tr><th scope="col">Listing</th>${RELEASES.map((r) => `<th scope="col"><abbr title="Go ${r}">${r}</abbr></th>`).join("")}</tr></thead>
<tbody class="ots-chapter"><tr><th scope="colgroup" colspan="25"><a href="#sorting">Sorting and size classes</a></th></tr></tbody>
${ROWS.map(
  (row) => `<tbody>
<tr><th scope="row"><a href="#listing">${row.title}</a></th>${RELEASES.map((_, i) => cell(row, i)).join("")}</tr>
<tr class="ots-why"><td colspan="25">${why(row)}</td></tr>
</tbody>`,
).join("\n")}
</table></div>
</div>`;

/** The table that compares the article's figures with the measured ones. */
export const ARTICLES = `<div class="ots-articles" role="region" tabindex="0" aria-label="The article's figures and ours">
<div class="table-wrapper"><table>
<caption>What the article measured, and what the listing measures on the same release</caption>
<thead><tr><th scope="col" rowspan="2">Listing</th><th scope="colgroup" colspan="3">Article</th><th scope="colgroup" colspan="3">Measured</th></tr>
<tr><th scope="col">Go</th><th scope="col">allocs/op</th><th scope="col">B/op</th><th scope="col">Go</th><th scope="col">allocs/op</th><th scope="col">B/op</th></tr></thead>
<tbody>
<tr><th scope="row"><a href="#listing">sort.Strings over a slice of keys</a></th><td>1.15</td><td>1</td><td>32</td><td>1.15.15</td><td><span class="ots-figure" title="go1.15.15 linux/amd64">1</span></td><td><span class="ots-figure" title="go1.15.15 linux/amd64">32</span></td></tr>
</tbody>
<tbody>
<tr><th scope="row"><a href="#listing">bytes.Buffer, 1024 bytes</a></th><td>1.11</td><td>3</td><td>2160</td><td>1.11.13</td><td><span class="ots-figure" title="go1.11.13 linux/amd64">3</span></td><td><span class="ots-figure" title="go1.11.13 linux/amd64">2176</span></td></tr>
<tr class="ots-why"><td colspan="7">Our buffer keeps its length in a field of its own, which is one word more.</td></tr>
</tbody>
</table></div>
</div>`;
