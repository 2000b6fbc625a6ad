export interface Heading {
  /** Without markup. */
  readonly text: string
  readonly level: number
  /** What follows `#` in a link to the heading. */
  readonly anchor: string
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
  const count = new Map<string, number>()
  const headings = [...prose.matchAll(/^(#{1,6}) .*$/gm)].map(({ 0: line, 1: marks = '', index }): Heading => {
    // Inline code is blank in `prose`, and belongs to the text of a heading.
    const plain = plainText(text.slice(index + marks.length, index + line.length))
    const slug = slugify(plain)
    const repeated = count.get(slug) ?? 0
    count.set(slug, repeated + 1)
    return { text: plain, level: marks.length, anchor: repeated === 0 ? slug : `${slug}-${repeated}` }
  })
  const inline = [...prose.matchAll(/(!?)\[(?:[^[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const nested = [...prose.matchAll(/!\[[^\]]*\]\(\s*([^()\s]+)\s*\)(?=[^[]*\]\()/g)]
  const html = [...prose.matchAll(/<(img|a)\b[^>]*?\b(?:src|href)="([^"]+)"/g)]
  const links = [
    ...inline.map((match) => ({ href: match[2] ?? '', at: match.index, isImage: match[1] === '!' })),
    ...nested.map((match) => ({ href: match[1] ?? '', at: match.index, isImage: true })),
    ...html.map((match) => ({ href: match[2] ?? '', at: match.index, isImage: match[1] === 'img' })),
  ].map(({ href, at, isImage }): Link => ({ href, isImage, line: prose.slice(0, at).split('\n').length }))
  return { headings, links }
}

/** The rule of code hosts, which the site follows, so that a link to a heading works on both. */
export const slugify = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** Replaces code and comments by spaces, so that positions stay the same. */
function blankOut(text: string): string {
  const blank = (found: string) => found.replaceAll(/[^\n]/g, ' ')
  return text
    .replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[`~]* *$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, blank)
}

const plainText = (markup: string): string =>
  markup
    .replace(/ +#+ *$/, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`([^`]*)`/g, '$1')
    .replaceAll(/\*\*([^*]+)\*\*/g, '$1')
    .replaceAll(/(?<![\p{L}\p{N}])[*_]([^*_]+)[*_](?![\p{L}\p{N}])/gu, '$1')
    .trim()
