export interface Heading {
  /** Without markup. */
  readonly text: string
  readonly level: number
  /** What follows `#` in a link to the heading. */
  readonly anchor: string
  /** Positions of the line in the file. */
  readonly start: number
  readonly end: number
}

export interface Link {
  readonly href: string
  readonly line: number
  readonly isImage: boolean
}

export interface MarkdownFile {
  readonly headings: readonly Heading[]
  readonly links: readonly Link[]
}

/** The headings and links of a Markdown text, without those in code and comments. */
export function readMarkdown(text: string): MarkdownFile {
  const prose = blankOut(text)
  return { headings: readHeadings(text, prose), links: readLinks(prose) }
}

/** The rule of code hosts, which the site follows, so that a link to a heading works on both. */
export const slugify = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** A text without marks of Markdown and without comments. */
export const plainText = (markup: string): string =>
  markup
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^(?:`{3,}|~{3,}).*$/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`([^`\n]*)`/g, '$1')
    .replaceAll(/\*\*([^*]+)\*\*/g, '$1')
    .replaceAll(/(?<![\p{L}\p{N}])[*_]([^*_\n]+)[*_](?![\p{L}\p{N}])/gu, '$1')
    .trim()

function readHeadings(text: string, prose: string): Heading[] {
  const count = new Map<string, number>()
  return [...prose.matchAll(/^(#{1,6}) .*$/gm)].map(({ 0: line, 1: marks = '', index: start }) => {
    const end = start + line.length
    // Inline code is blank in `prose`, and belongs to the text of a heading.
    const plain = plainText(text.slice(start + marks.length, end))
    const slug = slugify(plain)
    const repeated = count.get(slug) ?? 0
    count.set(slug, repeated + 1)
    return { text: plain, level: marks.length, anchor: repeated === 0 ? slug : `${slug}-${repeated}`, start, end }
  })
}

/** `[text](href)`, `![text](src)`, and the same two in HTML. */
const linkPatterns = [
  /(?<image>!?)\[(?:[^[\]]|\[[^\]]*\])*\]\(\s*<?(?<href>[^()\s>]+)>?(?:\s+"[^"]*")?\s*\)/g,
  // An image as the text of a link.
  /\[(?<image>!)\[[^\]]*\]\(\s*(?<href>[^()\s]+)\s*\)\]/g,
  /<a\b[^>]*?\bhref="(?<href>[^"]+)"/g,
  /<(?<image>img)\b[^>]*?\bsrc="(?<href>[^"]+)"/g,
]

function readLinks(prose: string): Link[] {
  return linkPatterns
    .flatMap((pattern) => [...prose.matchAll(pattern)])
    .map(({ groups, index }) => ({
      href: groups?.href ?? '',
      isImage: Boolean(groups?.image),
      line: prose.slice(0, index).split('\n').length,
    }))
}

/** Replaces code and comments by spaces, so that positions stay the same. */
function blankOut(text: string): string {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, ' ')
  return text
    .replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[`~]* *$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, blank)
}
