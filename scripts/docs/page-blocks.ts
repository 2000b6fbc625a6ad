/** Reads the code blocks of a Markdown page, with the words after their language that say how a block is executed (HACKING.md, "Documentation"). */

export interface Block {
  readonly page: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Hidden preparation: the lines of `<!-- before: … -->` directly above the fence. */
  readonly before: string
  /** The block is written to this file. */
  readonly file?: string
  /** Stays in the foreground of its terminal until the end of the page. */
  readonly background: boolean
  /** Must exit with another status than 0. */
  readonly fails: boolean
  /** The output of the block above. */
  readonly output: boolean
  /** Why the block cannot be executed here. */
  readonly notExecuted?: string
}

type PageServer = 'sqlite' | 'postgres' | 'none'

export interface Page {
  readonly path: string
  readonly blocks: readonly Block[]
  readonly server: PageServer
  /** `python`, or `minutes` for a page that takes too long for `npm test`. */
  readonly needs: ReadonlySet<string>
  readonly problems: readonly string[]
}

type Attributes = Pick<Block, 'file' | 'background' | 'fails' | 'output' | 'notExecuted'>

const servers: readonly string[] = ['postgres', 'none', 'sqlite'] satisfies PageServer[]
const knownNeeds = ['python', 'minutes']

export function parsePage(path: string, markdown: string): Page {
  const problems: string[] = []
  const blocks: Block[] = []
  let server: PageServer = 'sqlite'
  const needs = new Set<string>()
  const lines = markdown.split('\n')
  let before = ''
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string
    const place = `${path}:${index + 1}`
    const fence = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(line)
    if (fence) {
      const [, indent = '', marks = '', info = ''] = fence
      const end = lines.findIndex(
        (each, at) => at > index && each.trimStart().startsWith(marks) && each.trim().replaceAll(marks[0] as string, '') === '',
      )
      if (end === -1) problems.push(`${place}: the code block has no end`)
      const last = end === -1 ? lines.length : end
      const text = lines.slice(index + 1, last).map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each.trimStart()))
      const [language = '', ...words] = splitInfo(info)
      if (language === '') problems.push(`${place}: the code block has no language`)
      const attributes = readAttributes(words, (problem) => problems.push(`${place}: ${problem}`))
      blocks.push({ page: path, line: index + 1, language, text: text.join('\n'), before, ...attributes })
      before = ''
      index = last
    } else if (line.trimStart().startsWith('<!--')) {
      const end = lines.findIndex((each, at) => at >= index && each.includes('-->'))
      const last = end === -1 ? lines.length - 1 : end
      const [, name, value = ''] =
        /^<!--\s*(before|server|needs):\s*([\s\S]*?)\s*-->/.exec(
          lines
            .slice(index, last + 1)
            .map((each) => each.trim())
            .join('\n'),
        ) ?? []
      if (name === 'before') before = before === '' ? value : `${before}\n${value}`
      else if (name !== undefined && blocks.length > 0) problems.push(`${place}: "${name}" belongs above the first code block`)
      else if (name === 'server' && servers.includes(value)) server = value as PageServer
      else if (name === 'server') problems.push(`${place}: unknown server "${value}": ${servers.join(', ')}`)
      else if (name === 'needs') for (const need of value.split(/[,\s]+/)) needs.add(need)
      for (const need of needs) if (!knownNeeds.includes(need)) problems.push(`${place}: unknown need "${need}": ${knownNeeds.join(', ')}`)
      index = last
    } else if (line.trim() !== '' && before !== '') {
      problems.push(`${place}: "before" belongs directly above a code block`)
      before = ''
    }
  }
  if (before !== '') problems.push(`${path}: "before" has no code block`)
  return { path, blocks, server, needs, problems }
}

/** Splits at spaces outside of double quotes. */
const splitInfo = (info: string): string[] => info.match(/(?:[^\s"]|"[^"]*")+/g) ?? []

function readAttributes(words: readonly string[], report: (problem: string) => void): Attributes {
  const found: { -readonly [name in keyof Attributes]: Attributes[name] } = { background: false, fails: false, output: false }
  for (const word of words) {
    const [, name = word, value] = /^([\w-]+)="?(.*?)"?$/.exec(word) ?? []
    if (name === 'file' && value) found.file = value
    else if (name === 'not-executed' && value) found.notExecuted = value
    else if (name === 'not-executed') report('"not-executed" needs a reason: not-executed="…"')
    else if ((name === 'background' || name === 'fails' || name === 'output') && value === undefined) found[name] = true
    else report(`unknown word "${word}" after the language`)
  }
  return found
}
