/** The files of each walk by its title, on one database. */
export type Traces = ReadonlyMap<string, readonly string[]>

const begin = '<!-- measured by packages/server/test/walks.test.ts; WALKS=write writes it -->'
const end = '<!-- end of what is measured -->'

const lineWidth = 150

/** What walks enter, as ARCHITECTURE.md shows it: the files of all walks once, then those of each walk by folder. */
export function describeTraces(postgres: Traces, sqlite: Traces): string {
  const [first = [], ...others] = [...postgres.values()]
  const common = first.filter((path) => others.every((files) => files.includes(path)))
  const sections = [...postgres].map(([title, files]) => {
    const own = files.filter((path) => !common.includes(path))
    const counts = `${files.length} files (${sqlite.get(title)?.length ?? 0} on SQLite), beside those of every walk:`
    return `${title}: ${counts}\n${byFolder(own)}`
  })
  return [begin, '```text', `Every walk: ${common.length} files\n${byFolder(common)}`, ...sections, '```', end].join('\n')
}

function byFolder(paths: readonly string[]): string {
  const names = Map.groupBy(paths, (path) => path.split('/').slice(0, -1).join('/') || 'src')
  const width = Math.max(...[...names.keys()].map((folder) => folder.length)) + 2
  return [...names]
    .map(([folder, files]) =>
      wrap(
        `  ${folder.padEnd(width)}`,
        files.map((path) => (path.split('/').at(-1) ?? '').replace(/\.ts$/, '')),
      ),
    )
    .join('\n')
}

function wrap(head: string, words: readonly string[]): string {
  const lines: string[] = []
  let line = head.trimEnd()
  for (const word of words) {
    const start = line.length < head.length ? line.padEnd(head.length) : `${line} `
    if (start.length + word.length <= lineWidth) line = start + word
    else {
      lines.push(line)
      line = ' '.repeat(head.length) + word
    }
  }
  return [...lines, line].join('\n')
}

/** The page with another measured block. */
export function withTraces(page: string, block: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < 0) throw new Error('ARCHITECTURE.md has no place for the files of walks')
  return page.slice(0, from) + block + page.slice(to + end.length)
}

/** The files that the page lists for a walk. */
export function listedFiles(page: string, title: string): string[] {
  const section = page.split(/^### /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path)
}
